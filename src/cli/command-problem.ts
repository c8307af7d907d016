import type { Problem } from '../contract/problem.js';
import { EXIT, type ExitCode } from './exit-code.js';

/** What a user can mend, found by a command. All problems are printed, three lines each, and no stack. */
export class CommandProblem extends Error {
  override readonly name = 'CommandProblem';
  readonly problems: readonly Problem[];
  readonly exitCode: ExitCode;

  constructor(problems: Problem | readonly Problem[], exitCode: ExitCode = EXIT.usage) {
    const all = [problems].flat();
    super(all.map(({ what }) => what).join('; '));
    this.problems = all;
    this.exitCode = exitCode;
  }
}
