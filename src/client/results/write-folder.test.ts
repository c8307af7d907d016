import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UserError } from '../../domain/failure/user-error.js';
import { writeFolder, type WriteFile } from './write-folder.js';

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

it.each([0, 1, 2, 3])(
  'a disk that is full after %i files: path and fix are told, and nothing is left',
  async (room) => {
    const folder = join(root, 'out');
    const fill = async (write: WriteFile): Promise<never> => {
      for (let n = 0; n < room; n += 1) await write(`${n}.txt`, 'x');
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const error = await writeFolder(folder, fill, '--export').catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(UserError);
    const { kind, message } = error as UserError;
    expect(kind).toBe('environment');
    expect(message.split('\n')).toEqual([
      expect.stringContaining(`${folder} cannot be written: the disk is full`),
      expect.stringContaining('expected: '),
      expect.stringMatching(/fix: make room, or .*--export/),
    ]);
    expect(await readdir(root)).toEqual([]);
  },
);
