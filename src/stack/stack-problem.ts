import type { Problem } from '../contract/problem.js';

/** Something about the servers that the user can mend. `message` is the three lines, ready to print without a stack. */
export class StackProblem extends Error {
  override readonly name = 'StackProblem';
  readonly problems: readonly Problem[];
  /** It may pass by itself: whoever has time asks again. */
  readonly isTransient: boolean;

  constructor(problem: Problem, options: ErrorOptions & { isTransient?: boolean } = {}) {
    super(`${problem.what}\n${problem.allowed}\n${problem.remedy}`, options);
    this.problems = [problem];
    this.isTransient = options.isTransient ?? false;
  }
}
