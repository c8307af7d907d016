import type { Problem } from '../../../src/contract/problem.js';
import { addedFiles, isPatch } from '../../../src/suite-kit/added-files.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { readSnapshot } from '../../../src/suite-kit/snapshot/read-snapshot.js';
import { scriptOf } from './single-prompt.js';

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

/** A script in the folder of its task: the last block of bash in an answer, the file of a patch, or else all of the text. */
export function answerFiles(answer: string): { files: Map<string, Uint8Array> } | { problem: Problem } {
  if (!isPatch(answer)) {
    const inBlock = answer.startsWith('#!') ? null : scriptOf(answer);
    const script = inBlock?.note === null ? inBlock.script : new TextEncoder().encode(answer);
    return { files: new Map([['repro.sh', script]]) };
  }
  const patch = addedFiles(answer);
  const [script, ...more] = 'files' in patch ? [...patch.files].filter(([path]) => path.endsWith('.sh')) : [];
  if (script !== undefined && more.length === 0)
    return { files: new Map([['repro.sh', new TextEncoder().encode(script[1])]]) };
  return {
    problem: {
      message: `the patch ${'reason' in patch ? patch.reason : `adds ${script === undefined ? 'no script' : 'several scripts'}`}`,
      expected: 'a patch that adds one script (.sh), or the text of the script',
      fix: 'give the script itself',
    },
  };
}
