import type { Problem } from '../../contract/problem.js';
import { problemText } from './problem-text.js';

/** What it takes to get further: another command line or file, a machine that is ready, or nothing, since somebody cancelled. */
export type UserErrorKind = 'usage' | 'environment' | 'cancelled';

/** What a user can do something about: told as problems, without a stack. `message` holds them all, ready to print. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  readonly kind: UserErrorKind;
  readonly problems: readonly Problem[];
  /** It may pass by itself: whoever has time asks again. */
  readonly isTransient: boolean;

  constructor(
    kind: UserErrorKind,
    problems: Problem | readonly Problem[],
    options: ErrorOptions & { isTransient?: boolean } = {},
  ) {
    const all = [problems].flat();
    super(all.map(problemText).join('\n'), options);
    this.kind = kind;
    this.problems = all;
    this.isTransient = options.isTransient ?? false;
  }
}
