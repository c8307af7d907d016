import type { Problem } from '../contract/problem.js';
import type { ModelAnswer } from '../ports/model.js';
import { DomainFailure } from './domain-failure.js';

/**
 * A complete reply that holds no answer (no JSON, no choices). It was answered, so it was most likely billed:
 * with `usage` the ledger charges exactly that, without it the estimate.
 */
export class UnusableAnswer extends DomainFailure {
  readonly usage: ModelAnswer['usage'];
  readonly claimedUsage: ModelAnswer['claimedUsage'];
  readonly providerRequestId: string | null;

  constructor(words: string | Problem, details: Pick<ModelAnswer, 'usage' | 'claimedUsage' | 'providerRequestId'>) {
    super('model.bad-answer', words, { billing: 'ambiguous' });
    this.usage = details.usage;
    this.claimedUsage = details.claimedUsage;
    this.providerRequestId = details.providerRequestId;
  }
}
