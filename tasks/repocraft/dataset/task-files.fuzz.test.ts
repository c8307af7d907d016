import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { harvestTask } from '../stages/harvest.js';
import { loadTask } from '../stages/load-task.js';
import { lockPath, readLock, tasksDigest, type DatasetLock } from './lock/dataset-lock.js';
import { repocraftDataset } from './repocraft-dataset.js';
import type { RepocraftTask } from './repocraft-task.js';
import { UnknownTasks } from './unknown-tasks.js';

/** Locks and tasks as a hand, a merge or a bad disk may leave them. */
const SUITE_FOLDER = join(import.meta.dirname, '..');

let folder: string;
let lock: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-locks-'));
  await mkdir(join(folder, 'dataset'));
  const whole = JSON.parse(await readFile(lockPath('requests', SUITE_FOLDER), 'utf8')) as DatasetLock;
  const tasks = whole.tasks.slice(0, 6);
  const functions = tasks.flatMap((task) => task.functions).length;
  const counts = { ...whole.counts, functions, tasks: tasks.length };
  lock = JSON.stringify({ ...whole, counts, tasks, digest: tasksDigest(tasks) }, null, 1);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const WILD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(null, true, -1, 1e308, '', '\0', '\ud800', '../../x', '__proto__', [], {}, [[]], {
    id: 'a',
  }),
  fc.jsonValue({ maxDepth: 1 }),
);

/** What a lock pins of a task, as one line. */
const pinned = ({ id, sha256, category }: { id: string; sha256: string; category: string | null }): string =>
  JSON.stringify([id, sha256, category]);

type Holder = Record<string, unknown>;
function places(value: unknown): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => [
    [value as Holder, key] as [Holder, string],
    ...places((value as Holder)[key]),
  ]);
}

/** Another value somewhere, something left out, or characters changed in the text. */
const change = fc.oneof(
  fc.tuple(fc.nat(), WILD).map(([pick, value]) => (text: string) => {
    const document = JSON.parse(text) as Holder;
    const all = places(document);
    const [holder, key] = all[pick % all.length]!;
    holder[key] = structuredClone(value);
    return JSON.stringify(document);
  }),
  fc.nat().map((pick) => (text: string) => {
    const document = JSON.parse(text) as Holder;
    const all = places(document);
    const [holder, key] = all[pick % all.length]!;
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
    return JSON.stringify(document);
  }),
  fc.tuple(fc.nat(), fc.nat(9), fc.string({ maxLength: 5 })).map(([at, length, put]) => (text: string) => {
    const from = at % text.length;
    return text.slice(0, from) + put + text.slice(from + length);
  }),
);

/** A value, or a failure of the dataset in three lines; anything else that is thrown fails the test. */
async function orRefusal<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UnknownTasks) return undefined;
    if (!(error instanceof DomainFailure)) throw error;
    expect(error.type).toMatch(/^(dataset|task)\./);
    return undefined;
  }
}

describe('a lock that was changed', () => {
  it('is refused, or selects exactly the tasks that are written in it', async () => {
    const ends = { refused: 0, selected: 0 };
    await fc.assert(
      fc.asyncProperty(change, async (mutate) => {
        const text = mutate(lock);
        await writeFile(lockPath('requests', folder), text);
        const selection = await orRefusal(repocraftDataset.select({ projects: ['requests'] }, 0, folder));
        if (selection === undefined) return void (ends.refused += 1);
        ends.selected += 1;
        const written = (JSON.parse(text) as DatasetLock).tasks;
        expect(selection.tasks.map(pinned).sort()).toEqual(written.map(pinned).sort());
        for (const task of selection.tasks) {
          expect(task.id).toMatch(/^[a-z0-9][a-z0-9._-]{0,79}$/);
          expect(task.sha256).toMatch(/^[0-9a-f]{64}$/);
          expect(task.group).toBe('requests');
        }
        expect(new Set(selection.tasks.map(({ id }) => id)).size).toBe(selection.tasks.length);
      }),
      { numRuns: 250 },
    );
    expect(Math.min(ends.refused, ends.selected), JSON.stringify(ends)).toBeGreaterThan(20);
  });

  it('is never taken for another selection: its digest is checked', async () => {
    const other = JSON.parse(lock) as DatasetLock;
    other.tasks.pop();
    await writeFile(lockPath('requests', folder), JSON.stringify(other));
    await expect(readLock('requests', folder)).rejects.toMatchObject({
      type: 'dataset.missing',
      message: expect.stringContaining('digest') as string,
    });
  });
});

describe('a task that was changed', () => {
  const task = {
    ...{ id: 't-001', project: 'requests', category: 'requests.a', subcategory: 'b', description: 'does it' },
    ...{
      test_code: 'def test_a():\n    assert 1\n',
      imports: [],
      fixtures: [],
      auxiliary_code: {},
      functions: ['test_a'],
    },
    ...{ targets: ['requests.a'], loc: 2, difficulty: 'easy', seed: 0 },
    source: { file: 'tests/a.py', lines: [[1, 2]], sha256: 'f'.repeat(64) },
  };

  /** Loads and harvests the task from a store that holds `stored` under the hash `planned`. */
  async function harvested(stored: string, planned: string) {
    const blobs = createMemoryBlobs();
    await blobs.put(stored, { name: 'task.json', mediaType: 'application/json' });
    const summary = { id: task.id, sha256: planned, group: 'requests', category: 'c', candidateScope: null };
    const context = { task: summary, blobs } as unknown as StageContext;
    const end = await orRefusal(harvestTask(context));
    return end && { loaded: await loadTask(context), result: end.result };
  }

  it('is not there under the hash it was planned with', async () => {
    const text = JSON.stringify(task);
    await fc.assert(
      fc.asyncProperty(change, async (mutate) => {
        const changed = mutate(text);
        fc.pre(changed !== text);
        expect(await harvested(changed, sha256Hex(text))).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it('and planned with its new hash is harvested, or refused as broken', async () => {
    const text = JSON.stringify(task);
    const ends = { refused: 0, harvested: 0 };
    await fc.assert(
      fc.asyncProperty(change, async (mutate) => {
        const changed = mutate(text);
        const end = await harvested(changed, sha256Hex(changed));
        if (end === undefined) return void (ends.refused += 1);
        ends.harvested += 1;
        // What goes on is what is written, no part of it put right or left out, and it is enough to be graded.
        const written = JSON.parse(changed) as RepocraftTask;
        expect(end.loaded).toEqual(written);
        const { id, category, functions, targets, difficulty } = written;
        expect(end.result).toEqual({
          ...{ task: id, category, difficulty },
          ...{ functions: functions.length, targets: targets.length },
        });
        for (const words of [
          written.test_code,
          written.description,
          ...functions,
          ...targets,
          ...written.imports.map(({ module }) => module),
        ])
          expect(typeof words).toBe('string');
        expect([id, written.test_code === '', written.description === '', functions.length === 0]).toEqual([
          't-001',
          false,
          false,
          false,
        ]);
      }),
      { numRuns: 250 },
    );
    expect(Math.min(ends.refused, ends.harvested), JSON.stringify(ends)).toBeGreaterThan(20);
  });
});
