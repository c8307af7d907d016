import type { WorkerLimits } from '../contract/worker-limits.js';

/**
 * Who is at work for this installation, by rows: a worker lives as long as it renews its lease. All clocks are the
 * store's own. Fails with `records.unavailable` while it is unavailable.
 */
export interface Leases {
  /** Names this installation among all that may share a Docker engine; one a database, for ever. */
  installation(): Promise<string>;
  /**
   * Upserts the instance's lease (30 s); called every 10 s. `server`: id of the Temporal namespace it polls now, which is
   * another one once the server has lost its database. `code`: digest of its workflow code; null where it polls no
   * workflows.
   */
  beatWorker(input: {
    instance: string;
    host: string;
    pid: number;
    server?: string;
    code?: string | null;
    limits?: WorkerLimits;
  }): Promise<void>;
  /** Living workers of that server with what they can run, the oldest first; without those that have not told. */
  workerLimits(server: string): Promise<{ instance: string; host: string; limits: WorkerLimits }[]>;
  /** Ends a lease at once: what the instance had in flight may be taken over. */
  retireWorker(instance: string): Promise<void>;
  /** Instances that have not been retired, with or without a running lease. */
  unretiredWorkers(): Promise<string[]>;
  /**
   * Those of the given instances that are known here and whose lease is gone: retired, or run out for another lease's
   * time, in which the store itself was up (after its restart everybody first gets the time to renew). Unknown
   * instances are never among them.
   */
  lapsedWorkers(instances: readonly string[]): Promise<string[]>;
  /** An instance uses a content volume now; noted before it does. */
  noteContentUse(input: { instance: string; volumes: readonly string[] }): Promise<void>;
  /** Noted content volumes that no instance has used for so long. */
  idleContent(idleSeconds: number): Promise<string[]>;
  /** Forgets the uses of a volume that is gone. */
  forgetContent(volume: string): Promise<void>;
}
