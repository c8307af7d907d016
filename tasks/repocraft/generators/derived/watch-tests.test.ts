import path from 'node:path';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../../src/domain/text/content-hash.js';
import { createFakeSandbox } from '../../../../src/fakes/fake-sandbox.js';
import { createMemoryBlobs } from '../../../../src/fakes/memory-blobs.js';
import { GOLD_CHUNK } from '../../dataset/plan.js';
import type { ProjectSettings } from '../../dataset/project-settings.js';
import { unwatchedNote, watchTests, type WatchedTask } from './watch-tests.js';

const PROJECT = { project: 'lib', image: 'repocraft-lib', settings: { package: 'lib' } } as unknown as ProjectSettings;

const taskOf = (id: string): WatchedTask => ({
  ...{
    id,
    targets: [`lib.${id}`],
    test_code: `test of ${id}`,
    auxiliary_code: {},
    functions: ['test_it'],
    fixtures: [],
  },
});

/** A store, and a sandbox in which every test runs line 3 of one file and passes, but for some. */
function bench(ends: Record<string, { outcome: string; lines: Record<string, number[]> | null }> = {}) {
  const asked: string[] = [];
  const sandbox = createFakeSandbox({
    images: [PROJECT.image],
    programs: {
      python3: ({ files }) => {
        const { tasks } = JSON.parse(files.get('request.json')?.toString() ?? '') as { tasks: { id: string }[] };
        asked.push(...tasks.map(({ id }) => id));
        const passed = { outcome: 'passed', reason: '', cpuSeconds: 0.1, lines: { 'lib/one.py': [3] } };
        return { stdout: JSON.stringify(Object.fromEntries(tasks.map(({ id }) => [id, { ...passed, ...ends[id] }]))) };
      },
    },
  });
  const suiteFolder = path.join(import.meta.dirname, '..', '..');
  const tools = { sandbox, blobs: createMemoryBlobs(), suiteFolder, signal: new AbortController().signal };
  const watch = async (tasks: WatchedTask[], content = 'a tar') => {
    const before = asked.length;
    const library = { sha256: sha256Hex(content), load: () => Promise.resolve(Buffer.from(content)) };
    const told = await watchTests(tools, PROJECT, { library, tasks });
    return { ...told, note: unwatchedNote(told), asked: asked.slice(before), runs: sandbox.runs.length };
  };
  return { watch };
}

test('each test is watched once for all that is derived, in the chunks of gold; the answer has no order but that of names', async () => {
  const { watch } = bench();
  const ids = Array.from({ length: GOLD_CHUNK + 1 }, (_, place) => `t${10 + place}`);
  const first = await watch(ids.map(taskOf));
  expect(first).toMatchObject({ asked: ids, runs: 2, unwatched: {}, note: null });
  expect(Object.keys(first.ran)).toEqual(ids);
  const again = await watch(ids.map(taskOf).reverse());
  expect(again).toEqual({ ...first, asked: [], runs: 2 });
  expect(JSON.stringify(again.ran)).toBe(JSON.stringify(first.ran));
});

test('a test is watched anew where it, the reference or what is watched of it is another', async () => {
  const { watch } = bench();
  const [one, two] = [taskOf('one'), taskOf('two')];
  await watch([one, two]);
  expect((await watch([{ ...one, test_code: 'another' }, two])).asked).toEqual(['one']);
  expect((await watch([one, two], 'another tar')).asked).toEqual(['one', 'two']);
  expect((await watch([one, { ...two, targets: ['lib.other.two'] }])).asked).toEqual(['one', 'two']);
});

test('of a test that a limit ended nothing is known: it is told, and tried again the next time', async () => {
  const { watch } = bench({
    one: { outcome: 'slow', lines: null },
    two: { outcome: 'timeout', lines: null },
    four: { outcome: 'failed', lines: { 'lib/one.py': [3, 4] } },
  });
  const tasks = ['one', 'two', 'three', 'four'].map(taskOf);
  const told = await watch(tasks);
  expect(told.ran).toEqual({ three: { 'lib/one.py': [3] }, four: { 'lib/one.py': [3, 4] } });
  expect(told.unwatched).toEqual({ one: 'slow', two: 'timeout', four: 'failed' });
  expect(told.note).toBe(
    'what they run is not known, or not all of it, of 3 of 4 tests: four (failed), one (slow), two (timeout)',
  );
  expect((await watch(tasks)).asked).toEqual(['one', 'two']);
});
