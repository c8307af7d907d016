import type { Problem } from '../../../../src/contract/problem.js';
import { packFiles } from '../../../../src/suite-kit/packed-files.js';
import { readSnapshot } from '../../../../src/suite-kit/snapshot/read-snapshot.js';

/** Packs a user's folder or archive as a candidate, or says everything that is wrong with it. */
export async function packCandidate(path: string): Promise<{ tar: Buffer; files: number } | { problems: Problem[] }> {
  const { files, problems } = await readSnapshot(path, 'a Python repository');
  const isPython = [...files.keys()].some((name) => name.endsWith('.py'));
  if (!isPython && problems.length === 0) problems.push(notPython(path));
  if (problems.length > 0) return { problems };
  return { tar: await packFiles(files), files: files.size };
}

const notPython = (path: string): Problem => ({
  message: `snapshot path ${path}: holds no Python file`,
  expected: 'a repository with at least one .py file',
  fix: 'point to the folder that holds the package, or the one above it',
});
