import { DomainFailure } from '../domain/failure/domain-failure.js';
import { UnusableAnswer } from '../domain/failure/unusable-answer.js';
import { costMicroUsd, totalTokens } from '../domain/limits/prices.js';
import { usageProblem } from '../domain/limits/usage-claim.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Blobs } from '../ports/blobs.js';
import type { Ledger, Settlement } from '../ports/ledger.js';
import type { ModelAnswer } from '../ports/model.js';
import type { PreparedCall } from './prepared-call.js';
import { serializeCompletion } from './stored-answer.js';

/** What booking has to know of a call that was sent. */
export type SentCall = Pick<PreparedCall, 'key' | 'model' | 'price' | 'request' | 'estimate' | 'completionName'>;

type Counted = Pick<ModelAnswer, 'usage' | 'claimedUsage' | 'usageProblem' | 'providerRequestId'>;

/**
 * Stores the answer and settles its send.
 * @returns the answer that stands, and that of this send, by their hashes in the store
 */
export async function bookAnswer(
  { blobs, ledger }: { blobs: Blobs; ledger: Ledger },
  call: SentCall,
  { attempt, answer, isRecovered = false }: { attempt: number; answer: ModelAnswer; isRecovered?: boolean },
): Promise<{ standing: EvidenceRef; own: EvidenceRef }> {
  const completion = serializeCompletion(call.completionName, call.model.name, answer);
  await blobs.put(completion.bytes, completion.label);
  const bill = { ...settlement(call, answer), isRecovered };
  const standing = await ledger.settle(call.key, attempt, { ...bill, responseRef: completion.ref });
  return { standing, own: completion.ref };
}

/** Settles, releases or marks the send that failed, by what the provider may have billed. */
export async function bookFailure(ledger: Ledger, call: SentCall, attempt: number, error: unknown): Promise<void> {
  const reason = (error instanceof DomainFailure ? `${error.type}: ${error.message}` : String(error)).slice(0, 500);
  if (error instanceof UnusableAnswer && error.usage !== null)
    return ledger.charge(call.key, attempt, settlement(call, believed(call, error)), reason);
  if (error instanceof DomainFailure && error.billing === 'none') return ledger.release(call.key, attempt, reason);
  return ledger.markAmbiguous(call.key, attempt, reason);
}

/** The reply with its usage where that can be, and without it where it cannot: neither ledger nor pace go by such a claim. */
export function believed<Reply extends Counted>(
  { request }: Pick<SentCall, 'request'>,
  { claimedUsage, ...reply }: Reply,
) {
  const { usage } = reply;
  if (usage === null && claimedUsage === undefined) return reply;
  const problem = usage === null ? 'it does not read as counts of tokens' : usageProblem(usage, request);
  if (problem === null) return reply;
  return { ...reply, usage: null, usageProblem: problem, claimedUsage: claimedUsage ?? null };
}

/** The provider's usage at the frozen price; without one the estimate, and a flag that says so. */
function settlement(call: SentCall, reply: Counted): Settlement {
  const { usage, claimedUsage, usageProblem: problem, providerRequestId } = reply;
  const actual =
    usage === null ? call.estimate : { microUsd: costMicroUsd(call.price, usage), tokens: totalTokens(usage) };
  return {
    ...{ actual, providerRequestId, usageReported: usage !== null },
    ...(problem === undefined ? {} : { implausible: { problem, claimed: claimedUsage ?? null } }),
  };
}
