import type { FailedTrial, SuiteFailures } from '../../../src/suite/failures.js';
import { readLock } from '../dataset/lock/dataset-lock.js';
import { DATASET_PROJECTS } from '../dataset/project-settings.js';
import type { Difficulty } from '../dataset/repocraft-task.js';
import { FAILURE_CLASSES, type FailureClassCode } from '../stages/failure-class.js';

const DIFFICULTIES: readonly Difficulty[] = ['easy', 'medium', 'hard'];

const CODES = FAILURE_CLASSES.map((name): FailureClassCode => `class.${name}`);

/**
 * How RepoCraft's failed trials are analysed. The thresholds of planning, generation and localization were
 * asked for by those who use them; the others are set where a cause is worth a look of its own, below what a healthy campaign shows of it.
 */
export const repocraftFailures: SuiteFailures = {
  classOf: ({ metrics }) => CODES.find((code) => metrics[code] === 1) ?? null,
  stageOf,
  // Versions that a model described have the same tasks.
  difficulties: async (suiteFolder) => {
    const locks = await Promise.all(DATASET_PROJECTS.map((project) => readLock(project, suiteFolder)));
    const tasks = locks.flatMap((lock) => lock.tasks);
    return new Map(
      DIFFICULTIES.flatMap((each) =>
        tasks.flatMap(({ id, difficulty }) => (difficulty === each ? [[id, each] as const] : [])),
      ),
    );
  },
  rules: [
    rule('class.planning', 0.2, [
      'the candidate has nothing of the kind: plan wider (a larger feature tree, `knowledge`; more features, a larger budget for planning),',
      'or say in the prompt which categories are asked for; where the system plans with a graph, durabench graph export shows it',
    ]),
    rule('class.generation', 0.3, [
      'what is asked for is there and wrong: a stronger model for the purposes that write code, more repair rounds,',
      'and tests that the generator runs itself; the excerpts say what the code did',
    ]),
    rule('class.generation.missing-package', 0.1, [
      'the candidate imports packages that there are not: say in the prompt which ones there are; of a release made elsewhere,',
      'grade a folder that has them beside it',
    ]),
    rule('class.generation.api-mismatch', 0.3, [
      'names and signatures differ: have interfaces designed before code is written, or name `judge.adapt`, a model that rewrites tests for them',
    ]),
    rule('class.generation.performance', 0.1, [
      'code is too slow or too large: ask for what the library does at its size, and look at the limits in durabench show TRIAL',
    ]),
    rule('class.localization', 0.15, [
      'the search misses what is called like the target: docstrings in plain words help;',
      'durabench calibrate repocraft measures how often the search is wrong by itself',
    ]),
    rule('class.validation', 0.15, [
      'the voters disagree on code called like the target: more voters or a stronger model (`judge.vote`);',
      'durabench calibrate repocraft measures them',
    ]),
    rule('class.adaptation', 0.1, [
      'tests cannot be bound to the candidate, which may be right: name `judge.adapt`, a model that rewrites them under guard',
    ]),
    rule('class.execution', 0.1, [
      'runs end otherwise than by an assertion: durabench logs TRIAL has what the process printed; the packages it imports may be missing',
    ]),
  ],
};

function rule(code: FailureClassCode, above: number, advice: readonly string[]): SuiteFailures['rules'][number] {
  return { id: code.slice('class.'.length), counts: { class: code }, above, advice: advice.join(' ') };
}

/** The stage that stopped it: without a verdict it never came to be graded. */
function stageOf({ metrics }: FailedTrial): ReturnType<SuiteFailures['stageOf']> {
  if (metrics.passed === undefined) return 'generate';
  if (metrics.localized === 0) return 'localize';
  return metrics.voted === 0 ? 'vote' : 'execute';
}
