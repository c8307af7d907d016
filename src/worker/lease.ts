import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerLimits } from '../contract/worker-limits.js';
import type { Leases } from '../ports/leases.js';
import type { WorkerLog } from './worker-log.js';

/** A third of the lease: a worker is dead when it missed three. */
const BEAT_MS = 10_000;
/** After a beat that failed: a lease that ran out while Postgres was away must not stay so once it is back. */
const RETRY_MS = 1_000;

/** A worker's sign of life in the records; sends and containers of a worker without one may be taken for abandoned. */
export interface Lease {
  /** Ends it: what this worker had in flight may be taken over at once. */
  release(): Promise<void>;
}

/** Takes the lease of this instance, however long that takes, and keeps it. Rejects only when the signal says to stop. */
export async function holdLease(parts: {
  records: Pick<Leases, 'beatWorker' | 'retireWorker'>;
  instance: string;
  /** Id of the Temporal namespace it polls. Asked before each beat: the server's database may be deleted. */
  server: () => Promise<string>;
  /** Digest of the workflow code it polls for; null where it polls no workflows. */
  code: string | null;
  limits: WorkerLimits;
  log: Pick<WorkerLog, 'warn'>;
  signal: AbortSignal;
}): Promise<Lease> {
  const { records, instance, server, code, limits, log, signal } = parts;
  const row = { instance, code, limits, host: hostname(), pid: process.pid };
  const beat = async (): Promise<boolean> => {
    try {
      await records.beatWorker({ ...row, server: await server() });
      return true;
    } catch (error) {
      log.warn({ error: String(error) }, 'the lease was not renewed');
      return false;
    }
  };
  // Nobody works without a lease: a neighbour's reaper would take what is made meanwhile.
  while (!(await beat())) await sleep(RETRY_MS, undefined, { signal });
  let isReleased = false;
  let timer: NodeJS.Timeout;
  const beatAfter = (ms: number): void => {
    timer = setTimeout(
      () => void beat().then((isRenewed) => isReleased || beatAfter(isRenewed ? BEAT_MS : RETRY_MS)),
      ms,
    );
  };
  beatAfter(BEAT_MS);
  return {
    release: async () => {
      isReleased = true;
      clearTimeout(timer);
      await records.retireWorker(instance).catch(() => undefined); // it runs out by itself
    },
  };
}
