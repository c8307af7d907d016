import { z } from 'zod';

/** `dataset:` of an echo campaign. The last three provoke failures; they are what the crash tests turn. */
export const selectionSchema = z.strictObject({
  /** How many tasks, 5 of them authored and the rest made by rule. */
  tasks: z.int().min(1).max(100_000).default(55),
  /** Tasks of a group share one candidate, as RepoCraft's do. */
  share: z.boolean().default(false),
  /** How long `execute` takes, with heartbeats. */
  sleepMs: z.int().min(0).max(3_600_000).default(0),
  /** Every n-th task's `execute` loses its sandbox once and succeeds when it is tried again; 0 = none. */
  failEvery: z.int().min(0).default(0),
  /** Every n-th task turns out to be broken; 0 = none. */
  brokenEvery: z.int().min(0).default(0),
});
