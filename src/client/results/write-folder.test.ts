import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
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
it.each(['../beside.py', 'a/../../beside.py', '..', '.', ''])('writes nothing outside the folder: %j', async (path) => {
  const written = writeFolder(join(root, 'out'), async (write) => {
    await write('inside.py', 'x = 1\n');
    await write(path, 'x = 1\n');
  });
  await expect(written).rejects.toMatchObject({
    problems: [{ message: `${JSON.stringify(path)} would lie outside the folder` }],
  });
  expect(await readdir(root)).toEqual([]);
});

it('takes a name that begins at the root as one below the folder', async () => {
  expect(await writeFolder(join(root, 'out'), (write) => write('/etc/passwd', 'x'))).toBe(1);
  expect(await readdir(join(root, 'out', 'etc'))).toEqual(['passwd']);
});

it('keeps every file, also one that is called like its own mark', async () => {
  await writeFolder(join(root, 'out'), (write) => write('.durabench-export', 'mine'));
  expect(await readdir(join(root, 'out'))).toEqual(['.durabench-export']);
  expect(await readdir(root)).toEqual(['out']);
});

it.each([
  ['below a file', 'a-file/out', 'a part of the path is not a folder'],
  ['with too long a name', 'a'.repeat(300), 'the name is too long'],
])('says why a folder %s cannot be written', async (_, name, why) => {
  await writeFile(join(root, 'a-file'), '');
  const folder = join(root, name);
  await expect(writeFolder(folder, async () => undefined)).rejects.toMatchObject({
    kind: 'environment',
    problems: [{ message: `${folder} cannot be written: ${why}` }],
  });
});
