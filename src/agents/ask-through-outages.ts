import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureType } from '../contract/failure.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { FAILURE_TABLE } from '../domain/failure/failure-table.js';

/** What passes by itself: a program that waits for its answer is not begun again for it. */
const PASSING: readonly FailureType[] = [
  ...(['model.waiting', 'model.rate-limited', 'model.server-error', 'model.unreachable', 'model.ambiguous'] as const),
  ...(['model.bad-answer', 'call.in-flight', 'budget.contended', 'records.unavailable', 'blobs.unavailable'] as const),
];
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Asks until there is an answer, as often as the table of failures allows for each type and after the pauses it names.
 * @throws the failure that is not to be tried again, or the signal's reason
 */
export async function askThroughOutages<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const failed = new Map<FailureType, number>();
  for (;;) {
    try {
      signal.throwIfAborted();
      return await ask();
    } catch (error) {
      if (signal.aborted || !(error instanceof DomainFailure) || error.final || !PASSING.includes(error.type))
        throw error;
      const times = (failed.get(error.type) ?? 0) + 1;
      failed.set(error.type, times);
      const { maxAttempts, pauseFactor = 1 } = FAILURE_TABLE[error.type];
      if (times >= maxAttempts) throw error;
      const pauseMs = error.retryAfterMs ?? Math.min(FIRST_PAUSE_MS * pauseFactor ** times, LONGEST_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
