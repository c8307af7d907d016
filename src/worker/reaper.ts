import { repeatPass } from './repeat-pass.js';
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

/** Removes what dead workers left, until the signal. Never throws: echo runs on machines without Docker. */
export async function runReaper({ reap, log, signal, pauseMs = PAUSE_MS }: Reaper): Promise<void> {
  await repeatPass({
    pass: async () => {
      const removed = await reap();
      if (Object.values(removed).some((count) => count > 0))
        log.info({ removed }, 'what dead workers left was removed');
    },
    unable: 'what dead workers left cannot be removed now',
    ...{ log, signal, pauseMs },
  });
}
