import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createOutput } from './output.js';

it('writes a long document no faster than it is read', async () => {
  const stdout = new PassThrough({ highWaterMark: 10 });
  const output = await createOutput({ stdout, stderr: stdout }, { json: true, quiet: false, verbose: false });
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

it('prints commands as they were called, and leaves names alone', async () => {
  let said = '';
  const stream = { write: (text: string) => (said += text) };
  const flags = { json: false, quiet: false, verbose: false };
  for (const isNpx of [false, true]) {
    const output = await createOutput({ stdout: stream, stderr: stream }, { ...flags, isNpx });
    output.data('next         durabench show x/y; or npx durabench list; .durabench/reports, my-durabench run');
  }
  expect(said.split('\n').slice(0, 2)).toEqual([
    'next         durabench show x/y; or npx durabench list; .durabench/reports, my-durabench run',
    'next         npx durabench show x/y; or npx durabench list; .durabench/reports, my-durabench run',
  ]);
});

it('names the examples of the package where they lie', async () => {
  let said = '';
  const stream = { write: (text: string) => (said += text) };
  const flags = { json: false, quiet: false, verbose: false, examples: 'node_modules/durabench/examples' };
  const output = await createOutput({ stdout: stream, stderr: stream }, flags);
  output.data('durabench run examples/echo/campaign.yaml; my/examples/echo, examples of it');
  expect(said).toBe(
    'durabench run node_modules/durabench/examples/echo/campaign.yaml; my/examples/echo, examples of it\n',
  );
});
