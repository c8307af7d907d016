import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { answerTree, countedFiles, type AnswerTree } from '../answers/answer-tree.js';
import { GENERATORS, type Made } from '../generators/generators.js';
import type { Generated } from '../results.js';
import { loadTask } from './load-task.js';

/** Makes the candidate of a trial: the files of an answer, of the task itself, or of a folder of the user's. */
export const generate: StageFunction = async (context) => {
  const { generator: name, id } = context.system;
  const generator = GENERATORS[name];
  if (generator === undefined) throw new DomainFailure('harness.bug', `${id}: gha-bench has no generator ${name}`);
  const task = await loadTask(context);
  const made = await generator.make(task, context);
  if ('answer' in made)
    await context.attach(made.answer, { name: 'answer.md', mediaType: 'text/plain; charset=utf-8' });
  const { files, refusal, notes } = treeOf(made, task.spec.files);
  const tar = await packFiles(files);
  const { sha256 } = await context.attach(tar, { name: 'candidate.tar', mediaType: 'application/x-tar' });
  const result: Generated = {
    candidate: sha256,
    files: files.size,
    notes,
    refusal: refusal && shortText(refusal, 400),
  };
  return { result };
};

function treeOf(made: Made, expected: readonly string[]): AnswerTree {
  if ('answer' in made) return answerTree(made.answer, expected);
  const files =
    'files' in made
      ? made.files
      : new Map(Object.entries(made.tree).map(([path, text]) => [path, new TextEncoder().encode(text)]));
  return { ...countedFiles(files, expected), refusal: null };
}
