import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerLog } from './worker-log.js';

/** Docker is mended by a person, and leftovers only take up memory. */
const PAUSE_MS = 60_000;

/** What sweeping needs. */
export interface LeftoverSweep {
  /** Removes what dead workers left; answers how many containers. Fails while Docker is away. */
  remove: () => Promise<number>;
  log: Pick<WorkerLog, 'info' | 'warn' | 'debug'>;
  /** Ends the trying. */
  signal: AbortSignal;
  pauseMs?: number;
}

/**
 * Removes the containers that dead workers left, and tries again until it has worked once or the signal ends it. Says
 * once why it could not: echo runs on machines without Docker. Never throws.
 */
export async function sweepLeftovers({ remove, log, signal, pauseMs = PAUSE_MS }: LeftoverSweep): Promise<void> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      const leftovers = await remove();
      if (leftovers > 0) log.info({ leftovers }, 'containers of dead workers were removed');
      return;
    } catch (error) {
      const level = tries === 1 ? 'warn' : 'debug';
      log[level]({ error: String(error), tries }, 'containers of dead workers may be left: tried again every minute');
    }
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
