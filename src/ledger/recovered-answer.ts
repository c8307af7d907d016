import { DomainFailure } from '../domain/failure/domain-failure.js';
import type { LostSend } from '../ports/ledger.js';
import type { Model, ModelAnswer } from '../ports/model.js';
import type { PreparedCall } from './prepared-call.js';

/** Providers finish, and then keep, what nobody listens to any more. */
const MAY_COME_MS = 30_000;
const LOOK_AGAIN_MS = 2_000;

/**
 * The answer of an earlier send, from a provider that keeps answers: null where it has none, and the call is sent again.
 * @throws DomainFailure `call.in-flight` while the answer may still be in the making
 */
export async function recoveredAnswer(
  { model, mayComeMs = MAY_COME_MS }: { model: Model; mayComeMs?: number },
  call: PreparedCall,
  lost: readonly LostSend[],
  signal: AbortSignal,
): Promise<{ attempt: number; answer: ModelAnswer } | null> {
  if (call.model.stored !== true) return null;
  for (const { attempt, completionId } of lost) {
    const answer = await model.retrieve(call.model, completionId, signal);
    if (answer !== null) return { attempt, answer };
  }
  if (lost.every(({ lostForMs }) => lostForMs >= mayComeMs)) return null;
  throw new DomainFailure('call.in-flight', `${call.model.name} may still be writing the answer that got lost.`, {
    retryAfterMs: LOOK_AGAIN_MS,
  });
}
