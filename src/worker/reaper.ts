import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerLog } from './worker-log.js';

/** A pass costs a few queries; what a neighbour on this machine left is gone this soon, and its calls may be taken over. */
const PAUSE_MS = 15_000;

/** What the reaper needs. */
export interface Reaper {
  /** One pass: removes what dead workers left; answers how many of what. Fails while Docker or Postgres is unavailable. */
  reap: () => Promise<Record<string, number>>;
  log: Pick<WorkerLog, 'info' | 'warn' | 'debug'>;
  /** Ends it. */
  signal: AbortSignal;
  pauseMs?: number;
}

/**
 * Removes what dead workers left, at once and again and again until the signal. Says once why it cannot, and again
 * after it could: echo runs on machines without Docker. Never throws.
 */
export async function runReaper({ reap, log, signal, pauseMs = PAUSE_MS }: Reaper): Promise<void> {
  let isWorking = true;
  while (!signal.aborted) {
    try {
      const removed = await reap();
      isWorking = true;
      if (Object.values(removed).some((count) => count > 0))
        log.info({ removed }, 'what dead workers left was removed');
    } catch (error) {
      const level = isWorking ? 'warn' : 'debug';
      isWorking = false;
      log[level]({ error: String(error) }, 'what dead workers left cannot be removed now: tried again');
    }
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
