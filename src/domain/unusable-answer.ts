import type { Problem } from '../contract/problem.js';
import type { TokenUsage } from '../contract/token-usage.js';
import { DomainFailure } from './domain-failure.js';

/**
 * A complete reply that holds no answer (no JSON, no choices). It was answered, so it was most likely billed:
 * with `usage` the ledger charges exactly that, without it the estimate.
 */
export class UnusableAnswer extends DomainFailure {
  readonly usage: TokenUsage | null;
  readonly providerRequestId: string | null;

  constructor(words: string | Problem, details: { usage: TokenUsage | null; providerRequestId: string | null }) {
    super('model.bad-answer', words, { billing: 'ambiguous' });
    this.usage = details.usage;
    this.providerRequestId = details.providerRequestId;
  }
}
