import { readFile, stat } from 'node:fs/promises';
import type { Problem } from '../../../../src/contract/problem.js';
import { packFiles } from '../../../../src/suite-kit/packed-files.js';
import { MAX_ARCHIVE_BYTES, sizeProblem, type ReadTree } from './candidate-limits.js';
import { pathProblems } from './path-problems.js';
import { readArchive } from './read-archive.js';
import { notRegular, readFolder } from './read-folder.js';

/** Packs a user's folder or archive as a candidate, or says everything that is wrong with it. */
export async function packCandidate(path: string): Promise<{ tar: Buffer; files: number } | { problems: Problem[] }> {
  const found = await stat(path).catch(() => null);
  if (found === null) return { problems: [missing(path)] };
  const read = found.isDirectory()
    ? await readFolder(path)
    : await readFileTree(path, { size: found.size, isFile: found.isFile() });
  const problems = [...read.problems];
  if (problems.length === 0) problems.push(...pathProblems(path, read.files.keys()));
  const isPython = [...read.files.keys()].some((name) => name.endsWith('.py'));
  if (!isPython && problems.length === 0) problems.push(notPython(path));
  if (problems.length > 0) return { problems };
  return { tar: await packFiles(read.files), files: read.files.size };
}

/** A pipe would be waited for, and a disk never ends: only a file that an archive may be is opened. */
async function readFileTree(path: string, { size, isFile }: { size: number; isFile: boolean }): Promise<ReadTree> {
  const tooLarge = size > MAX_ARCHIVE_BYTES ? sizeProblem(path, { files: 0, bytes: size }) : undefined;
  const problem = isFile ? tooLarge : notRegular(path, null);
  return problem === undefined ? readArchive(path, await readFile(path)) : { files: new Map(), problems: [problem] };
}

const missing = (path: string): Problem => ({
  message: `snapshot path ${path}: there is no such file or folder`,
  expected: 'a folder, or an archive (.zip, .whl, .tar, .tar.gz), with a Python repository in it',
  fix: 'check the path; it is read relative to the campaign file',
});

const notPython = (path: string): Problem => ({
  message: `snapshot path ${path}: holds no Python file`,
  expected: 'a repository with at least one .py file',
  fix: 'point to the folder that holds the package, or the one above it',
});
