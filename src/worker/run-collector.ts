import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerLog } from './worker-log.js';

/** Between two looks at what is due: a query, as long as there is no provider batch. */
const PAUSE_MS = 5_000;

/** Looks after provider batches again and again until the signal. Says once why it cannot, and again after it could. Never throws. */
export async function runCollector(parts: {
  /** One pass; fails while Postgres is unavailable. */
  collect: (signal: AbortSignal) => Promise<void>;
  log: Pick<WorkerLog, 'warn' | 'debug'>;
  /** Ends it. */
  signal: AbortSignal;
}): Promise<void> {
  const { collect, log, signal } = parts;
  let isWorking = true;
  while (!signal.aborted) {
    try {
      await collect(signal);
      isWorking = true;
    } catch (error) {
      log[isWorking ? 'warn' : 'debug'](
        { error: String(error) },
        'provider batches cannot be looked after now: tried again',
      );
      isWorking = false;
    }
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
