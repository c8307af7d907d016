import type { Problem } from '../../../src/contract/problem.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { readSnapshot } from '../../../src/suite-kit/snapshot/read-snapshot.js';

/** A folder for each task, with its script. */
const LAYOUT = 'a folder for each task, named as the task, with repro.sh in it: silver-anova/repro.sh';

/** Packs scripts made elsewhere, a folder for each task id, or says everything that is wrong with them. */
export async function packSnapshot(path: string): Promise<{ tar: Buffer; files: number } | { problems: Problem[] }> {
  const { files, problems } = await readSnapshot(path, LAYOUT);
  const hasScript = [...files.keys()].some((name) => /^[^/]+\/repro\.sh$/.test(name));
  if (problems.length === 0 && !hasScript)
    problems.push({
      message: `snapshot path ${path}: holds no script of a task`,
      expected: LAYOUT,
      fix: 'name the folders after tasks; tasks/artisan/README.md lists them',
    });
  if (problems.length > 0) return { problems };
  return { tar: await packFiles(files), files: files.size };
}
