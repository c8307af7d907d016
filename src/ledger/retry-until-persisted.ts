import { setTimeout as delay } from 'node:timers/promises';
import { DomainFailure } from '../domain/failure/domain-failure.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** Postgres restarts in seconds; past this the worker is better off telling Temporal. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Repeats a write that must not be lost (an answer that was paid for) while the store is unavailable. Not ended by the
 * caller's signal: a worker that shuts down still wants its answers stored. When the caller's patience is over it is
 * told so, and the write goes on without it: a send that is never ended would keep its call from every other worker
 * for as long as this one lives.
 */
export async function retryUntilPersisted<Result>(
  write: () => Promise<Result>,
  patienceMs = PATIENCE_MS,
): Promise<Result> {
  try {
    return await retryBriefly(write, patienceMs);
  } catch (error) {
    if (isPassing(error)) void retryBriefly(write, Infinity).catch(() => undefined);
    throw error;
  }
}

/** The same, but over when the caller's patience is: for what would be wrong later. */
export async function retryBriefly<Result>(write: () => Promise<Result>, patienceMs = PATIENCE_MS): Promise<Result> {
  const started = performance.now();
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error) || performance.now() - started > patienceMs) throw error;
      // A process that has nothing else to do may end: its lease ends with it, and the send with the lease.
      await delay(waitMs, undefined, { ref: patienceMs !== Infinity });
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof DomainFailure && (error.type === 'records.unavailable' || error.type === 'blobs.unavailable');
}
