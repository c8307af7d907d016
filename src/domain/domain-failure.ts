import type { Failure, FailureType } from '../contract/failure.js';
import { FAILURE_TABLE } from './failure-table.js';

/** The one error class of stages, ports and adapters. Anything else that is thrown is a bug of the harness. */
export class DomainFailure extends Error {
  override readonly name = 'DomainFailure';
  readonly type: FailureType;
  /** When to try again, where the other side said so (Retry-After). */
  readonly retryAfterMs: number | null;
  /** For model failures: may the provider have billed? */
  readonly billing: 'none' | 'ambiguous';

  constructor(
    type: FailureType,
    message: string,
    details: { retryAfterMs?: number; billing?: 'none' | 'ambiguous'; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.type = type;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.billing = details.billing ?? 'none';
  }

  toFailure(): Failure {
    return { type: this.type, blame: FAILURE_TABLE[this.type].blame, message: this.message };
  }
}
