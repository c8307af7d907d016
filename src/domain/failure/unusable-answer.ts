import type { Problem } from '../../contract/problem.js';
import type { Json } from '../../contract/json.js';
import type { TokenUsage } from '../../contract/token-usage.js';
import { DomainFailure } from './domain-failure.js';

/**
 * A complete reply that holds no answer (no JSON, no choices). It was answered, so it was most likely billed:
 * with `usage` the ledger charges exactly that, without it the estimate.
 */
export class UnusableAnswer extends DomainFailure {
  readonly usage: TokenUsage | null;
  /** As the provider said it. */
  readonly claimedUsage?: Json;
  readonly providerRequestId: string | null;

  constructor(
    words: string | Problem,
    details: { usage: TokenUsage | null; claimedUsage?: Json; providerRequestId: string | null },
  ) {
    super('model.bad-answer', words, { billing: 'ambiguous' });
    this.usage = details.usage;
    if (details.claimedUsage !== undefined) this.claimedUsage = details.claimedUsage;
    this.providerRequestId = details.providerRequestId;
  }
}
