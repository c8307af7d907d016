import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeFolder } from './write-folder.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'durabench-folder-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

// Names of a candidate's files are a model's.
it.each(['../beside.py', 'a/../../beside.py', '..', '.', ''])(
  'writes nothing outside of the folder: %j',
  async (path) => {
    const written = writeFolder(join(root, 'out'), async (write) => {
      await write('inside.py', 'x = 1\n');
      await write(path, 'x = 1\n');
    });
    await expect(written).rejects.toMatchObject({
      problems: [{ message: `${JSON.stringify(path)} would lie outside of the folder` }],
    });
    expect(await readdir(root)).toEqual([]);
  },
);

it('takes a name that begins at the root as one below the folder', async () => {
  expect(await writeFolder(join(root, 'out'), (write) => write('/etc/passwd', 'x'))).toBe(1);
  expect(await readdir(join(root, 'out', 'etc'))).toEqual(['passwd']);
});
