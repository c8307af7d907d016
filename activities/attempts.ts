import { Context } from '@temporalio/activity';
import type { Failure } from '../src/contract/failure.js';
import type { Json } from '../src/contract/json.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { jsonBytes, STEP_LIMIT_BYTES } from '../src/domain/campaign/step-size.js';
import { abortKind, shutdownFailure, toApplicationFailure, toFailure, type FailureCounts } from './failures.js';

/** Three beats within the heartbeat timeout of 10 s. */
const HEARTBEAT_MS = 3_000;

/** Makes one attempt at what the key names, beating while it lasts. */
export type SharedAttempts<Reply> = (key: string, attempt: () => Promise<Reply>) => Promise<Reply>;

/**
 * Attempts that share what is under way: after a long silence of the server an attempt is started again while the first
 * one still works. Where the first fails, the second goes on by itself.
 */
export function createSharedAttempts<Reply>(): SharedAttempts<Reply> {
  const inFlight = new Map<string, Promise<Reply>>();
  return async (key, attempt) => {
    const stopBeating = startHeartbeat();
    try {
      const first = inFlight.get(key);
      const shared = await first?.catch(() => undefined);
      if (shared) return shared;
      const own = attempt();
      inFlight.set(key, own);
      return await own.finally(() => inFlight.get(key) === own && inFlight.delete(key));
    } finally {
      stopBeating();
    }
  };
}

/** The first beat comes after a while: most steps are over by then, and each beat is a write of the server's. */
export function startHeartbeat(): () => void {
  const timer = setInterval(beat, HEARTBEAT_MS);
  return () => clearInterval(timer);
}

/** Every beat repeats the counts: the last details are what the next attempt gets. */
export function beat(): void {
  Context.current().heartbeat(failureCounts());
}

function failureCounts(): FailureCounts {
  return (Context.current().info.heartbeatDetails ?? {}) as FailureCounts;
}

/** What a failed attempt throws. `note` is told of what was a failure: not of a cancellation or a worker that stops. */
export async function failedAttempt(
  error: unknown,
  note: (failure: Failure) => Promise<void> = async () => undefined,
): Promise<Error> {
  const { cancellationSignal } = Context.current();
  const abort = abortKind(cancellationSignal);
  if (abort === 'shutdown') return shutdownFailure();
  if (abort === 'cancelled') return cancellationSignal.reason as Error;
  const failure = toFailure(error);
  const counts = failureCounts();
  await note(failure);
  // The last details of an attempt are handed to the next one: so each type is counted by itself.
  Context.current().heartbeat({ ...counts, [failure.type]: (counts[failure.type] ?? 0) + 1 });
  return toApplicationFailure(error, counts);
}

/** @throws DomainFailure `harness.bug` for a result that is too large for a history */
export function checkResultSize(name: string, result: Json): void {
  const bytes = jsonBytes(result);
  if (bytes <= STEP_LIMIT_BYTES) return;
  const advice = 'return ids, hashes and counts, and attach the bytes as evidence';
  throw new DomainFailure('harness.bug', `${name} returned ${bytes} bytes; at most ${STEP_LIMIT_BYTES}: ${advice}`);
}
