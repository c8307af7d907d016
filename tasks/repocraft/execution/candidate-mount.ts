import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentMount } from '../../../src/ports/sandbox.js';

/** Where a candidate is in the container that tests it. */
export const CANDIDATE_PATH = '/candidate';

/**
 * A candidate as a read-only mount, every module compiled once for all its tests: they import it twice each, and sympy takes
 * 1.4 s of CPU from sources, 0.4 s from bytecode. Over whatever bytecode the candidate brought. `suiteFolder`: the suite's
 * folder in the package.
 */
export async function candidateMount(
  suiteFolder: string,
  { sha256, load }: Pick<ContentMount, 'sha256' | 'load'>,
): Promise<ContentMount> {
  const compiler = await readFile(join(suiteFolder, 'python', 'candidate', 'compile_tree.py'), 'utf8');
  const prepare = ['python3', '-P', '-s', '-E', '-c', compiler, CANDIDATE_PATH, '/work'];
  return { sha256, load, path: CANDIDATE_PATH, prepare };
}
