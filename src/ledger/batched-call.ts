import { DomainFailure } from '../domain/failure/domain-failure.js';
import { FAILURE_TABLE } from '../domain/failure/failure-table.js';
import type { BatchRefusal, Ledger } from '../ports/ledger.js';
import type { PreparedCall } from './prepared-call.js';

/** Asked for again after a quarter more of the time it has waited: an answer of hours is found soon, and seldom asked for. */
const AGAIN_SHARE = 0.25;
const SOONEST_MS = 5_000;
const LATEST_MS = 5 * 60_000;

/** Its answer is to come with a provider batch. */
export function batchedCall({ model }: PreparedCall, waitedMs: number): DomainFailure {
  const retryAfterMs = Math.round(Math.min(LATEST_MS, Math.max(SOONEST_MS, waitedMs * AGAIN_SHARE)));
  return new DomainFailure('model.batched', `This call waits for the Batch API of ${model.name}.`, { retryAfterMs });
}

/**
 * Throws what the provider batch of a call ended with, once; where no further attempt of a run could help, as often as this
 * run asks. After that it is asked anew.
 */
export async function tellRefusal(
  ledger: Ledger,
  { key, asker: { run = 1 } }: PreparedCall,
  { attempt, failure: { type, blame: _, ...problem }, toldRun }: BatchRefusal,
): Promise<void> {
  const isAgain = toldRun === run && FAILURE_TABLE[type].maxAttempts === 1;
  if (toldRun !== null && !isAgain) return;
  await ledger.noteTold(key, attempt, run);
  throw new DomainFailure(type, problem);
}
