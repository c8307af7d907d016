import { readFile, stat } from 'node:fs/promises';
import type { Problem } from '../../contract/problem.js';
import { MAX_ARCHIVE_BYTES, sizeProblem, type ReadTree } from './candidate-limits.js';
import { pathProblems } from './path-problems.js';
import { readArchive } from './read-archive.js';
import { notRegular, readFolder } from './read-folder.js';

/**
 * The files of a user's folder or archive, with everything that is wrong with it.
 * @param what it should hold, for messages: `a Python repository`
 */
export async function readSnapshot(path: string, what: string): Promise<ReadTree> {
  const found = await stat(path).catch(() => null);
  if (found === null) return { files: new Map(), problems: [missing(path, what)] };
  const read = found.isDirectory()
    ? await readFolder(path)
    : await readFileTree(path, { size: found.size, isFile: found.isFile() });
  if (read.problems.length > 0) return read;
  return { files: read.files, problems: pathProblems(path, read.files.keys()) };
}

/** A pipe would be waited for, and a disk never ends: only a file that an archive may be is opened. */
async function readFileTree(path: string, { size, isFile }: { size: number; isFile: boolean }): Promise<ReadTree> {
  const tooLarge = size > MAX_ARCHIVE_BYTES ? sizeProblem(path, { files: 0, bytes: size }) : undefined;
  const problem = isFile ? tooLarge : notRegular(path, null);
  return problem === undefined ? readArchive(path, await readFile(path)) : { files: new Map(), problems: [problem] };
}

const missing = (path: string, what: string): Problem => ({
  message: `snapshot path ${path}: there is no such file or folder`,
  expected: `a folder, or an archive (.zip, .whl, .tar, .tar.gz), with ${what} in it`,
  fix: 'check the path; it is read relative to the campaign file',
});
