import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFakeSandbox, type FakeEnd } from '../../../src/fakes/fake-sandbox.js';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import { campaignSpec } from '../../../src/fakes/suite-bench.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { ghaDataset } from '../dataset/gha-dataset.js';
import type { Executed } from '../results.js';
import { RUN_IMAGES } from '../runs/run-scenario.js';
import { execute } from './execute.js';

// Which runs are run again; that act runs them is for tests/gha-bench.

const SUITE = join(import.meta.dirname, '..');

/** A slot that only counts: each event ends so. */
async function bench(ended: () => string) {
  const blobs = createMemoryBlobs();
  await ghaDataset.fetch({ projects: [], verify: false }, { blobs, suiteFolder: SUITE } as unknown as DatasetTools);
  const [task] = (await ghaDataset.select({ tasks: ['t1-output-chain'] }, 0, SUITE)).tasks;
  const run = (): FakeEnd => {
    const told = { exit: 0, ended: ended(), seconds: 1, tools: [], artifacts: [] };
    return { files: { 'out/0/run.json': JSON.stringify(told), 'out/0/log.jsonl': '', 'out/0/errors.txt': '' } };
  };
  const sandbox = createFakeSandbox({ programs: { python3: run }, images: RUN_IMAGES });
  const step = async (workflow: string, judge: object = {}, samples = 1): Promise<Executed> => {
    const { sha256 } = await blobs.put(
      await packFiles(new Map([['.github/workflows/version.yml', Buffer.from(workflow)]])),
      { name: 'candidate.tar', mediaType: 'application/x-tar' },
    );
    const spec = campaignSpec({ suite: 'gha-bench', systems: [], judge: { ...judge } });
    const context = {
      ...{ campaign: { id: 'c', spec }, owner: { kind: 'trial', id: 'c/t/s/1' }, task, step: 'act/version' },
      ...{ input: { candidate: sha256, scenario: 'version' }, suiteFolder: SUITE, blobs, sandbox, samples },
      attach: (bytes: Uint8Array | string, label: { name: string; mediaType: string }) => blobs.put(bytes, label),
      signal: new AbortController().signal,
      heartbeat: () => undefined,
    };
    return (await execute(context as unknown as StageContext)).result as Executed;
  };
  return { step, sandbox };
}

test('what was run before is not run again, unless the campaign or a retry asks for it', async () => {
  const { step, sandbox } = await bench(() => 'itself');
  const first = await step('on: push');
  expect(first).toMatchObject({ remembered: false, seconds: 1 });
  expect(await step('on: push')).toEqual({ ...first, remembered: true });
  expect(sandbox.runs).toHaveLength(1);
  expect(await step('on: [push]')).toMatchObject({ remembered: false });
  expect(await step('on: push', { remember: false })).toMatchObject({ remembered: false });
  expect(await step('on: push', {}, 2)).toMatchObject({ remembered: false });
  expect(sandbox.runs).toHaveLength(4);
});

test('a run that was cut short is run again', async () => {
  const ends = ['disk', 'itself'];
  const { step, sandbox } = await bench(() => ends.shift() ?? 'itself');
  expect(await step('on: push')).toMatchObject({ ended: ['disk'], remembered: false });
  expect(await step('on: push')).toMatchObject({ ended: ['itself'], remembered: false });
  expect(sandbox.runs).toHaveLength(2);
});
