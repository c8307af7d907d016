import { hostname } from 'node:os';
import type { Records } from '../ports/records.js';
import type { WorkerLog } from './worker-log.js';

/** A third of the lease: a worker is dead when it missed three. */
const BEAT_MS = 10_000;

/** A worker's sign of life in the records; sends of a worker without one become ambiguous. */
export interface Lease {
  /** Ends it: what this worker had in flight may be taken over at once. */
  release(): Promise<void>;
}

/** Takes the lease of this instance and keeps it; a beat that fails is tried again at the next one. */
export async function holdLease(records: Records, instance: string, log: WorkerLog): Promise<Lease> {
  const row = { instance, host: hostname(), pid: process.pid };
  const beat = (): Promise<void> =>
    records.beatWorker(row).catch((error: unknown) => log.warn({ error: String(error) }, 'the lease was not renewed'));
  await beat();
  const timer = setInterval(() => void beat(), BEAT_MS);
  return {
    release: async () => {
      clearInterval(timer);
      await records.retireWorker(instance).catch(() => undefined); // it runs out by itself
    },
  };
}
