import type { EvidenceRef } from '../contract/evidence.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { costMicroUsd, totalTokens } from '../domain/limits/prices.js';
import type { Blobs } from '../ports/blobs.js';
import type { Amount, Ledger, ReusableAnswer } from '../ports/ledger.js';
import type { ModelAnswer } from '../ports/model.js';
import type { PreparedCall } from './prepared-call.js';
import { callInFlight, supersededBy } from './refused-call.js';
import { parseCompletion } from './stored-answer.js';

/**
 * The answer that another campaign got to the same question, now this call's own; null where the campaign does not ask for
 * such answers or there is none, and the call is sent. Whoever asks again finds it under the call's own key, whatever
 * becomes of the other campaign.
 * @throws DomainFailure `call.in-flight` or `operator.superseded`
 */
export async function reusedAnswer(
  { ledger, blobs }: { ledger: Ledger; blobs: Blobs },
  call: PreparedCall,
): Promise<{ answer: ModelAnswer; responseRef: EvidenceRef } | null> {
  const { question, asker } = call;
  if (question === null || asker.spec.reuseAnswers !== true) return null;
  for (;;) {
    const found = await ledger.reusableAnswer(asker.account, question);
    const answer = found === null ? null : await stillKept(blobs, found);
    if (found === null || answer === null) return null;
    await blobs.put(call.prompt.bytes, call.prompt.label);
    const { account, epoch, owner, stage, step } = asker;
    const result = await ledger.reuse({
      ...{ key: call.key, account, epoch, owner, stage, step, purpose: call.purpose, model: call.modelKey },
      ...{ requestRef: call.prompt.ref, question, ...found, saved: priceOf(call, answer) },
    });
    if (result === 'reused') return { answer, responseRef: found.responseRef };
    if (result === 'superseded') throw supersededBy(call);
    if (result === 'in-flight') throw callInFlight();
    // Another trial was faster: there may be a further answer.
  }
}

/** The answer, stored again: should its campaign be deleted just now, the bytes are young and survive a garbage collection. */
async function stillKept(blobs: Blobs, { responseRef }: ReusableAnswer): Promise<ModelAnswer | null> {
  try {
    const bytes = await blobs.get(responseRef.sha256);
    const answer = parseCompletion(bytes, responseRef);
    await blobs.put(bytes, responseRef);
    return answer;
  } catch (error) {
    // Somebody removed it from the store: then the question is asked, which always can be done.
    if (error instanceof DomainFailure && error.type === 'blobs.missing') return null;
    throw error;
  }
}

/** What sending it would have cost, at the price both campaigns have; without usage the estimate, as for an answer that is paid. */
function priceOf({ price, estimate }: PreparedCall, { usage }: ModelAnswer): Amount {
  return usage === null ? estimate : { microUsd: costMicroUsd(price, usage), tokens: totalTokens(usage) };
}
