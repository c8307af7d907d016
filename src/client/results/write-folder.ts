import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { UserError } from '../../domain/failure/user-error.js';
import { unwritable } from '../../domain/failure/unwritable.js';

/** In a folder that is being written: whoever finds it knows whose it is. */
const UNFINISHED = '.durabench-export';

/** @param path relative, with forward slashes */
type WriteFile = (path: string, bytes: Uint8Array | string) => Promise<void>;

/**
 * Writes a folder that `--out` names. It is there whole or not at all: until then it is `FOLDER.partial`, which the next
 * export to the same folder clears away.
 * @param folder absolute; it may be there and empty
 * @returns how many files it holds
 * @throws UserError where the folder is taken or cannot be written
 */
export async function writeFolder(folder: string, fill: (write: WriteFile) => Promise<void>): Promise<number> {
  await refuseTaken(folder);
  const partial = await cleared(`${folder}.partial`);
  let files = 0;
  try {
    await fill(async (path, bytes) => {
      const place = join(partial, path);
      if (!place.startsWith(`${partial}${sep}`)) throw outside(path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, bytes);
      files += 1;
    });
    await rm(join(partial, UNFINISHED));
    // An empty folder gives way; one that was filled meanwhile does not.
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw refused(error, folder);
  }
  return files;
}

const outside = (path: string): UserError =>
  new UserError('usage', {
    message: `${JSON.stringify(path.slice(0, 200))} would lie outside of the folder`,
    expected: 'files below the folder that is named',
    fix: 'nothing was written: a tree that holds such a name is not exported',
  });

/** @throws UserError where something is in the folder, or it is none */
export async function refuseTaken(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found === null) return;
  const isFolder = found.isDirectory();
  if (isFolder && (await readdir(folder)).length === 0) return;
  throw taken(folder, isFolder ? 'is there and holds files' : 'is a file');
}

function taken(folder: string, how: string): UserError {
  return new UserError('usage', {
    message: `--out: ${folder} ${how}`,
    expected: 'a folder that is not there yet, or is empty',
    fix: 'name another folder, or move that one away; nothing was written',
  });
}

/** An empty folder to write to. What an export left there that was killed goes; anything else is somebody's. */
async function cleared(partial: string): Promise<string> {
  const there = await readdir(partial).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw taken(partial, 'is in the way of the export');
  });
  if (there !== null && there.length > 0 && !there.includes(UNFINISHED))
    throw taken(partial, 'is in the way: no export of ours wrote it');
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial, { recursive: true });
    await writeFile(join(partial, UNFINISHED), 'An export that has not ended.\n');
  } catch (error) {
    throw refused(error, partial);
  }
  return partial;
}

function refused(error: unknown, folder: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(code)) return taken(folder, 'was filled meanwhile');
  return unwritable(error, folder, '--out');
}
