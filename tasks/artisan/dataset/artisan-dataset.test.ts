import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { artisanDataset } from './artisan-dataset.js';
import { needRefusals, roomHere } from './published/refusals.js';
import { RELEASED_TASKS } from './published/released-tasks.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'artisan-'));
  await cp(join(import.meta.dirname, 'locks'), join(folder, 'dataset', 'locks'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const select = (tasks: string[]) => artisanDataset.select({ tasks }, 0, folder);

test('a selection of tasks that need container slots is refused in three lines', async () => {
  const slots =
    /^dataset\.tasks: bloat-t1: of the published set: its artifact starts containers, and runs have no engine inside\n {0,2}expected: .* no container slots.*\n {0,2}fix: .*--published DIR/;
  // Without a lock: the reason is known all the same.
  await expect(select(['silver-fit', 'bloat-t1'])).rejects.toThrow(slots);
  await expect(select(['bloat-t1', 'unimocg-t4', 'sctype-t3'])).rejects.toThrow(
    /^dataset\.tasks: bloat-t1, unimocg-t4, sctype-t3: of the published set: its artifact starts containers, .*; its artifact is in scala, .* \(unimocg-t4\); its artifact asks a service of the network, and runs have none \(sctype-t3\)\n/,
  );
  // A table that is no task of the release, and a paper that is none.
  await expect(select(['bloat-t4'])).rejects.toThrow(/artisan has no task bloat-t4/);
  const later = 'added-t1';
  await expect(select([later])).rejects.toThrow(/artisan has no task added-t1/);
  await mkdir(join(folder, 'dataset', 'published'));
  const lock = { version: 1, artifacts: {}, tasks: ['bloat-t1', later].map((id) => ({ id, sha256: 'a'.repeat(64) })) };
  await writeFile(join(folder, 'dataset', 'published', 'published.lock.json'), JSON.stringify(lock));
  await expect(select(['silver-fit', 'bloat-t1'])).rejects.toThrow(slots);
  await expect(select([later])).rejects.toThrow(
    /^dataset\.tasks: added-t1: of the published set: its artifact may need container slots\n/,
  );
  expect((await select(['silver-fit'])).tasks).toMatchObject([{ id: 'silver-fit', group: 'silver' }]);
});

test('every task of the release is known with what this machine lacks for it', () => {
  const reasons = [...RELEASED_TASKS.values()].map((needs) => needRefusals(needs, roomHere(0)).map(({ code }) => code));
  expect(new Set([...RELEASED_TASKS.keys()].map((id) => id.replace(/-t\d+$/, ''))).size).toBe(23);
  expect(reasons).toHaveLength(60);
  expect(reasons.filter((codes) => !codes.includes('docker'))).toEqual([]);
});
