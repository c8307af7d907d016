import type { Problem } from '../../../src/contract/problem.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { readSnapshot } from '../../../src/suite-kit/snapshot/read-snapshot.js';

/** A folder for each task, with its files in `.github`. */
const LAYOUT = 'a folder for each task, named as the task: t1-push-pr/.github/workflows/ci.yml';

/** Packs answers made elsewhere, a folder for each task id, or says everything that is wrong with them. */
export async function packSnapshot(path: string): Promise<{ tar: Buffer; files: number } | { problems: Problem[] }> {
  const { files, problems } = await readSnapshot(path, LAYOUT);
  const hasWorkflow = [...files.keys()].some((name) => /^[^/]+\/\.github\/workflows\/[^/]+\.ya?ml$/.test(name));
  if (problems.length === 0 && !hasWorkflow) problems.push(noWorkflow(path));
  if (problems.length > 0) return { problems };
  return { tar: await packFiles(files), files: files.size };
}

const noWorkflow = (path: string): Problem => ({
  message: `snapshot path ${path}: holds no workflow of a task`,
  expected: LAYOUT,
  fix: 'name the folders after tasks; `ls tasks/gha-bench/dataset/tasks` lists them',
});
