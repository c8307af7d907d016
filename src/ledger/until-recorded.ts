import { setTimeout as delay } from 'node:timers/promises';
import { DomainFailure } from '../domain/domain-failure.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** Postgres restarts in seconds; past this the worker is better off telling Temporal. */
const GIVE_UP_MS = 10 * 60_000;

/**
 * Repeats a write that must not be lost (an answer that was paid for) while the store is away. Not ended by the
 * caller's signal: a worker that shuts down still wants its answers stored.
 */
export async function untilRecorded<Result>(write: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error) || performance.now() - started > GIVE_UP_MS) throw error;
      await delay(waitMs);
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof DomainFailure && (error.type === 'records.unavailable' || error.type === 'blobs.unavailable');
}
