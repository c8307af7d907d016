import { expect, test } from 'vitest';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import { explain } from './explain.js';

const blobs = createMemoryBlobs();

async function told(judgement: object): Promise<string | undefined> {
  const kept = { table: null, method: null, note: null, whole: null, ...judgement };
  const { sha256 } = await blobs.put(JSON.stringify(kept), { name: 'judgement.json', mediaType: 'application/json' });
  const evidence = [{ sha256, name: 'judgement.json' }];
  return (await explain([{ stage: 'score', evidence } as unknown as StepRow], blobs))?.message;
}

test.each([
  ['static.empty', null, 'no script was made'],
  ['static.empty', 'the answer has no block of bash', 'the answer has no block of bash'],
  ['static.size', null, 'the script has more than 256 KiB'],
  ['static.encoding', null, 'the script is no text in UTF-8'],
])('of %s it is said why nothing was run', async (reason, note, message) => {
  expect(await told({ reason, note })).toBe(message);
});

test('of a run its end is told, and what it said last', async () => {
  const whole = { ended: 'exit', exitCode: 3, stderr: 'one\nno such file\n' };
  expect(await told({ reason: 'runtime.exit', whole })).toBe('exit status 3: no such file');
});
