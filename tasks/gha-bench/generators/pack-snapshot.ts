import type { Problem } from '../../../src/contract/problem.js';
import { addedFiles, isPatch } from '../../../src/suite-kit/added-files.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { readSnapshot } from '../../../src/suite-kit/snapshot/read-snapshot.js';
import { ANSWER_FILE } from './snapshot.js';

/** A folder for each task, with its files in `.github`, or with an answer as a model gave it. */
const LAYOUT =
  'a folder for each task, named as the task: t1-push-pr/.github/workflows/ci.yml, or t1-push-pr/answer.md';

/** Packs answers made elsewhere, a folder for each task id, or says everything that is wrong with them. */
export async function packSnapshot(path: string): Promise<{ tar: Buffer; files: number } | { problems: Problem[] }> {
  const { files, problems } = await readSnapshot(path, LAYOUT);
  const hasWorkflow = [...files.keys()].some((name) =>
    /^[^/]+\/(\.github\/workflows\/[^/]+\.ya?ml|answer\.md)$/.test(name),
  );
  if (problems.length === 0 && !hasWorkflow) problems.push(noWorkflow(path));
  if (problems.length > 0) return { problems };
  return { tar: await packFiles(files), files: files.size };
}

/** An answer in words, in the folder of its task: read as the answer of a model that was asked here. A patch becomes its files. */
export function answerFiles(answer: string): { files: Map<string, Uint8Array> } | { problem: Problem } {
  const patch = isPatch(answer) ? addedFiles(answer) : null;
  if (patch !== null && 'reason' in patch)
    return {
      problem: {
        message: `the patch ${patch.reason}`,
        expected: 'a patch that adds files in .github, or the text of an answer with the files in it',
        fix: 'give the files whole: a fenced block each, with its path before it, or {"files": {PATH: TEXT}}',
      },
    };
  const text = patch === null ? answer : JSON.stringify({ files: Object.fromEntries(patch.files) });
  return { files: new Map([[ANSWER_FILE, new TextEncoder().encode(text)]]) };
}

const noWorkflow = (path: string): Problem => ({
  message: `snapshot path ${path}: holds no workflow of a task`,
  expected: LAYOUT,
  fix: 'name the folders after tasks; `ls tasks/gha-bench/dataset/tasks` lists them',
});
