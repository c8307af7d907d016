import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createOutput } from './output.js';

it('writes a long document no faster than it is read', async () => {
  const stdout = new PassThrough({ highWaterMark: 10 });
  const output = createOutput({ stdout, stderr: stdout }, { json: true, quiet: false, verbose: false });
  let asked = 0;
  async function* document(): AsyncGenerator<string> {
    while (asked < 100) yield `piece ${(asked += 1)}\n`;
  }
  const written = output.pieces(document()).then(() => stdout.end());
  for (let turns = 0; turns < 50; turns += 1) await setImmediate();
  expect(asked).toBeLessThan(10);
  const read = await text(stdout);
  await written;
  expect(read.trimEnd().split('\n')).toHaveLength(100);
});
