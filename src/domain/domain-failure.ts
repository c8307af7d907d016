import type { Failure, FailureType } from '../contract/failure.js';
import type { Problem } from '../contract/problem.js';
import { FAILURE_TABLE } from './failure-table.js';
import { problemMessage } from './problem-message.js';

/**
 * The one error class of stages, ports and adapters. Anything else that is thrown is a bug of the harness. Where a person
 * can do something about it, its words are a problem: what and where, what is allowed, how to mend it.
 */
export class DomainFailure extends Error {
  override readonly name = 'DomainFailure';
  readonly type: FailureType;
  /** When to try again, where the other side said so (Retry-After). */
  readonly retryAfterMs: number | null;
  /** For model failures: may the provider have billed? */
  readonly billing: 'none' | 'ambiguous';
  /** True when no further attempt can help, whatever its type's cap says: the ledger's two ambiguous sends are spent. */
  readonly final: boolean;

  constructor(
    type: FailureType,
    words: string | Problem,
    details: { retryAfterMs?: number; billing?: 'none' | 'ambiguous'; final?: boolean; cause?: unknown } = {},
  ) {
    super(typeof words === 'string' ? words : problemMessage(words), { cause: details.cause });
    this.type = type;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.billing = details.billing ?? 'none';
    this.final = details.final ?? false;
  }

  /** The same failure, to be tried again after another time. */
  again(retryAfterMs: number): DomainFailure {
    const { billing, final, cause } = this;
    return new DomainFailure(this.type, this.message, { retryAfterMs, billing, final, cause });
  }

  toFailure(): Failure {
    return { type: this.type, blame: FAILURE_TABLE[this.type].blame, message: this.message };
  }
}
