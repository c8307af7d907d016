import type { Problem } from '../../contract/problem.js';

/** Something the user can mend, in three parts; `message` is ready to print. */
export class RecordsProblem extends Error {
  override readonly name: string = 'RecordsProblem';
  constructor(readonly problem: Problem) {
    super(`${problem.what}\n${problem.allowed}\n${problem.remedy}`);
  }
}

/** The database itself cannot be used by this version: the environment is not ready, whatever was asked. */
export class SchemaProblem extends RecordsProblem {
  override readonly name = 'SchemaProblem';
}
