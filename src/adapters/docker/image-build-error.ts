import type { Problem } from '../../contract/problem.js';

/** An image could not be built; the problem says what happened, what is needed and how to mend it. */
export class ImageBuildError extends Error {
  override readonly name = 'ImageBuildError';
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(`${problem.what}\n${problem.allowed}\n${problem.remedy}`, { cause });
    this.problem = problem;
  }
}
