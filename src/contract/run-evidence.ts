import type { SandboxLimits } from './sandbox-limits.js';

/** Why a run's container was killed from outside. */
export type RunKill =
  /** The command had the whole of its wall limit for itself. */
  | 'wall'
  /** The machine was so busy that nobody can say whether the limit was reached. */
  | 'starved'
  /** This process itself stood still while the limit passed. */
  | 'stalled'
  /** Its workspace had become larger than it may be. */
  | 'size'
  /** The command could not even be started. */
  | 'unready';

/** Everything that told how a run in the sandbox ended, each source by itself. `src/domain/failure/run-ends.ts` says what they mean together. */
export interface RunEvidence {
  /** The files were in place and the command was started: only from here on is anything the command's doing. */
  ready: boolean;
  /** The exit status in the end line on each output of a fork server; null where the line did not come. Null: run without a server. */
  served: { stdout: number | null; stderr: number | null } | null;
  killed: RunKill | null;
  /** What the engine says of the process in the container: the fork server, else the command. Null: not asked, the end lines agree. */
  exec: { running: boolean; exitCode: number | null } | null;
  /** Null: not asked, a status was told. */
  container: { running: boolean; outOfMemory: boolean } | null;
  /**
   * Of the whole container since its start: processes killed for memory, whether its limit was reached (null where the
   * kernel does not say). Null: not asked, or no answer.
   */
  memory: { kills: number; limitReached: boolean | null } | null;
  limits: SandboxLimits;
  clocks: RunClocks;
}

/** In seconds. */
export interface RunClocks {
  /** From the request to the start of the command; null when it was not started. */
  ready: number | null;
  /** From the request to the end. */
  wall: number;
  /** Of the container, as far as it was measured. */
  cpu: number | null;
  /** Wall seconds a second of CPU took when the wall limit was looked at, the last time; null when it was not. */
  slowness: number | null;
  /** What counts of the time for the wall limit when it was looked at, the last time. */
  own: number | null;
}
