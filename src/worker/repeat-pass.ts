import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerLog } from './worker-log.js';

/** What a worker does again and again. */
export interface RepeatedPass {
  /** Fails while something that it needs is unavailable. */
  pass: () => Promise<void>;
  /** What cannot be done then, for the log. */
  unable: string;
  log: Pick<WorkerLog, 'warn' | 'debug'>;
  /** Ends it. */
  signal: AbortSignal;
  /** Between two passes. */
  pauseMs: number;
}

/** Does it at once and again and again until the signal. Says once why it cannot, and again after it could. Never throws. */
export async function repeatPass({ pass, unable, log, signal, pauseMs }: RepeatedPass): Promise<void> {
  let isWorking = true;
  while (!signal.aborted) {
    try {
      await pass();
      isWorking = true;
    } catch (error) {
      log[isWorking ? 'warn' : 'debug']({ error: String(error) }, `${unable}: tried again`);
      isWorking = false;
    }
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
