import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { artisanDataset } from './artisan-dataset.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'artisan-'));
  await cp(join(import.meta.dirname, 'locks'), join(folder, 'dataset', 'locks'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const select = (tasks: string[]) => artisanDataset.select({ tasks }, 0, folder);

test('a selection of tasks that need container slots is refused in three lines', async () => {
  const id = 'bloat-t1';
  await expect(select([id])).rejects.toThrow(/artisan has no task bloat-t1/);
  await mkdir(join(folder, 'dataset', 'published'));
  const lock = { version: 1, artifacts: {}, tasks: [{ id, sha256: 'a'.repeat(64) }] };
  await writeFile(join(folder, 'dataset', 'published', 'published.lock.json'), JSON.stringify(lock));
  await expect(select(['silver-fit', id])).rejects.toThrow(
    /^dataset\.tasks: bloat-t1: .* container slots\n {0,2}expected: .* no slots.*\n {0,2}fix: .*--published DIR/,
  );
  expect((await select(['silver-fit'])).tasks).toMatchObject([{ id: 'silver-fit', group: 'silver' }]);
});
