import { Context } from '@temporalio/activity';
import type { Failure } from '../src/contract/failure.js';
import type { Json } from '../src/contract/json.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { jsonBytes, STEP_LIMIT_BYTES } from '../src/domain/campaign/step-size.js';
import { abortKind, shutdownFailure, toApplicationFailure, toFailure, type FailureCounts } from './failures.js';

/** Three beats within the heartbeat timeout of 10 s. */
const HEARTBEAT_MS = 3_000;

/** Longer than the longest pause between two attempts. */
const SUCCESSOR_MS = 120_000;

/** Makes one attempt at what the key names, beating while it lasts. Its signal is aborted where nobody wants it any more. */
export type SharedAttempts<Reply> = (key: string, attempt: (wanted: AbortSignal) => Promise<Reply>) => Promise<Reply>;

/**
 * Attempts that share what is under way. A machine that is busy, or a server that was silent, misses beats: the server then
 * starts another attempt and knows nothing of the first, whose work goes on for the other. Where the first fails, the
 * second goes on by itself.
 */
export function createSharedAttempts<Reply>(): SharedAttempts<Reply> {
  const inFlight = new Map<string, { reply: Promise<Reply>; demand: Demand }>();
  return async (key, attempt) => {
    const stopBeating = startHeartbeat();
    const { cancellationSignal } = Context.current();
    try {
      const first = inFlight.get(key);
      first?.demand.add(cancellationSignal);
      const shared = await first?.reply.catch(() => undefined);
      if (shared) return shared;
      const demand = createDemand();
      demand.add(cancellationSignal);
      const own = { reply: attempt(demand.wanted), demand };
      inFlight.set(key, own);
      return await own.reply.finally(() => {
        demand.close();
        if (inFlight.get(key) === own) inFlight.delete(key);
      });
    } finally {
      stopBeating();
    }
  };
}

/** Those who wait for some work: the attempts at it. */
interface Demand {
  /** Aborted as soon as one of them is cancelled or its worker stops, or when the server has forgotten them all and no other came. */
  wanted: AbortSignal;
  add(attempt: AbortSignal): void;
  /** The work is over. */
  close(): void;
}

function createDemand(): Demand {
  const stop = new AbortController();
  const waiting = new Set<AbortSignal>();
  let timer: NodeJS.Timeout | undefined;
  const left = (attempt: AbortSignal): void => {
    waiting.delete(attempt);
    if (abortKind(attempt) !== 'forgotten') stop.abort(attempt.reason);
    else if (waiting.size === 0) timer = setTimeout(() => stop.abort(attempt.reason), SUCCESSOR_MS);
  };
  return {
    wanted: stop.signal,
    add: (attempt) => {
      clearTimeout(timer);
      waiting.add(attempt);
      if (attempt.aborted) left(attempt);
      else attempt.addEventListener('abort', () => left(attempt), { once: true });
    },
    close: () => clearTimeout(timer),
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

/** What a failed attempt throws. `note` is told of what was a failure: not of an end that somebody asked for (`wanted`). */
export async function failedAttempt(
  error: unknown,
  wanted: AbortSignal,
  note: (failure: Failure) => Promise<void> = async () => undefined,
): Promise<Error> {
  const abort = abortKind(wanted);
  if (abort === 'shutdown') return shutdownFailure();
  if (abort !== 'none') return wanted.reason as Error;
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
