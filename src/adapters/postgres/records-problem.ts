import type { Problem } from '../../contract/problem.js';

/** Something the user can mend, in three parts; `message` is ready to print. */
export class RecordsProblem extends Error {
  override readonly name = 'RecordsProblem';
  constructor(readonly problem: Problem) {
    super(`${problem.what}\n${problem.allowed}\n${problem.remedy}`);
  }
}
