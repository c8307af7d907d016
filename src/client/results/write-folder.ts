import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { UserError } from '../../domain/failure/user-error.js';
import { unwritable } from '../../domain/failure/unwritable.js';

/** In a folder that is being written, beside the tree: whoever finds it knows whose it is. */
const UNFINISHED = '.durabench-export';
const TREE = 'tree';

/** @param path relative, with forward slashes */
export type WriteFile = (path: string, bytes: Uint8Array | string) => Promise<void>;

/**
 * Writes a folder that an option names. It is there whole or not at all: until then it is `FOLDER.partial`, which the next
 * export to the same folder clears away.
 * @param folder absolute; it may be there and empty
 * @param option the one that named it, for messages
 * @returns how many files it holds
 * @throws UserError where the folder is taken or cannot be written
 */
export async function writeFolder(
  folder: string,
  fill: (write: WriteFile) => Promise<void>,
  option = '--out',
): Promise<number> {
  await refuseTaken(folder, option);
  const partial = `${folder}.partial`;
  await clear(partial, option);
  const tree = join(partial, TREE);
  let files = 0;
  try {
    await mkdir(partial, { recursive: true });
    await writeFile(join(partial, UNFINISHED), 'An export that has not ended.\n');
    await mkdir(tree);
    await fill(async (path, bytes) => {
      const place = join(tree, path);
      if (!place.startsWith(`${tree}${sep}`)) throw outside(path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, bytes);
      files += 1;
    });
    // An empty folder gives way; one that was filled meanwhile does not.
    await rename(tree, folder).catch((error: NodeJS.ErrnoException) => {
      throw ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code ?? '')
        ? taken(option, folder, 'was filled meanwhile')
        : error;
    });
  } catch (error) {
    throw unwritable(error, folder, option);
  } finally {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
  }
  return files;
}

const outside = (path: string): UserError =>
  new UserError('usage', {
    message: `${JSON.stringify(path.slice(0, 200))} would lie outside the folder`,
    expected: 'paths below the folder; nothing was written',
  });

/** @throws UserError where something is in the folder, or it is none */
export async function refuseTaken(folder: string, option = '--out'): Promise<void> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw unwritable(error, folder, option);
  });
  if (found === null) return;
  const isFolder = found.isDirectory();
  if (isFolder && (await readdir(folder)).length === 0) return;
  throw taken(option, folder, isFolder ? 'is there and holds files' : 'is a file');
}

function taken(option: string, folder: string, how: string): UserError {
  return new UserError('usage', {
    message: `${option}: ${folder} ${how}`,
    expected: 'a folder that is not there yet, or is empty',
    fix: 'name another folder, or move that one away; nothing was written',
  });
}

/** Removes what an export left there that was killed. @throws UserError for anything else: it is somebody's */
async function clear(partial: string, option: string): Promise<void> {
  const there = await readdir(partial).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error.code === 'ENOTDIR'
      ? taken(option, partial, 'is in the way, and a file')
      : unwritable(error, partial, option);
  });
  if (there !== null && there.length > 0 && !there.includes(UNFINISHED))
    throw taken(option, partial, 'is in the way: no export of ours wrote it');
  await rm(partial, { recursive: true, force: true });
}
