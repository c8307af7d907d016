import type { RunEvidence } from './run-evidence.js';

/** Captured output; `truncated` when the cap was hit. */
export interface CapturedOutput {
  bytes: Buffer;
  truncated: boolean;
  /** All the bytes the command wrote, captured or not. */
  totalBytes: number;
}

/** Files of a run, by their path below `/work`. Links and other than files are left out. */
export interface TakenFiles {
  files: Record<string, Uint8Array>;
  /** True when together they were larger than a run may bring back: then none are here. */
  tooLarge: boolean;
}

/** How a run ended. Errors of the infrastructure are thrown (`sandbox.*`), never returned. */
export interface SandboxResult {
  /** null when killed for time or memory. */
  exitCode: number | null;
  timedOut: boolean;
  /** Which limit it was: RLIMIT_CPU of the command itself, or the wall. Null when not timed out. */
  timeLimit: 'cpu' | 'wall' | null;
  outOfMemory: boolean;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  wallSeconds: number;
  /** Of the command and its waited-for descendants where measurable, else null. */
  cpuSeconds: number | null;
  /** `fresh`: a container was started for this run; `pooled`: reused. */
  container: 'fresh' | 'pooled';
  imageId: string;
  /** What `take` asked for; null where it did not, or the run was killed. */
  taken: TakenFiles | null;
  /** Every source the above was read from. */
  evidence: RunEvidence;
}
