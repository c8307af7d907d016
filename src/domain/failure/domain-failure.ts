import type { Failure, FailureType } from '../../contract/failure.js';
import type { Problem } from '../../contract/problem.js';
import { adviceOf } from './advice.js';
import { FAILURE_TABLE } from './failure-table.js';
import { problemText } from './problem-text.js';

/**
 * The one error class of stages, ports and adapters. Anything else that is thrown is a bug of the harness. `message` is the
 * problem as text: what and where, and where a person can do something about it, what was expected and how to fix it.
 */
export class DomainFailure extends Error {
  override readonly name = 'DomainFailure';
  readonly type: FailureType;
  readonly problem: Problem;
  /** When to try again, where the other side said so (Retry-After). */
  readonly retryAfterMs: number | null;
  /** For model failures: may the provider have billed? */
  readonly billing: 'none' | 'ambiguous';
  /** True when no further attempt can help, whatever its type's cap says: the ledger's two ambiguous sends are spent. */
  readonly final: boolean;

  constructor(
    type: FailureType,
    problem: string | Problem,
    details: { retryAfterMs?: number; billing?: 'none' | 'ambiguous'; final?: boolean; cause?: unknown } = {},
  ) {
    const told = typeof problem === 'string' ? { message: problem } : problem;
    super(problemText(told), { cause: details.cause });
    this.type = type;
    this.problem = told;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.billing = details.billing ?? 'none';
    this.final = details.final ?? false;
  }

  /** The same failure, with what is known of it where it is handed on. */
  with(known: { retryAfterMs?: number; final?: boolean; message?: string }): DomainFailure {
    const { billing, cause } = this;
    const { final = this.final, message = this.problem.message, retryAfterMs = this.retryAfterMs ?? undefined } = known;
    const details = { billing, final, cause, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    return new DomainFailure(this.type, { ...this.problem, message }, details);
  }

  toFailure(): Failure {
    const { message } = this.problem;
    return { type: this.type, blame: FAILURE_TABLE[this.type].blame, message, ...adviceOf(this.problem) };
  }
}
