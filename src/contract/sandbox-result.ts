import type { EvidenceRef } from './evidence.js';
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

/** Of every blob of a workspace: when its trial has ended, `clean --workspaces` may remove it. */
export const WORKSPACE_MEDIA_TYPE = 'application/vnd.durabench.workspace';

/**
 * A folder `/work` as a run left it, kept in the blob store: the next run may begin with it, on any worker and any engine. Small
 * enough for a stage's result.
 */
export interface WorkspaceRef {
  /**
   * Lower-case hex sha-256 of what is in it: paths, kinds, modes, targets of links, sizes and contents. Times are not part of it,
   * as two histories of the same commands differ in them.
   */
  digest: string;
  /** Lower-case hex sha-256 of the blob from which it is restored, times included. */
  manifest: string;
  /** Sum of the sizes of its files; what several names share counts once. */
  bytes: number;
  /** How many names are in it: files, folders, links. */
  files: number;
}

/**
 * Why what a run left was not kept: `killed` (for time or memory, so that nobody saw its end), or it held too many `bytes`, too many
 * `files`, folders in folders beyond the `depth`, a device (`kinds`), or a name that is no UTF-8 (`names`).
 */
export type WorkspaceLoss = 'killed' | 'processes' | 'bytes' | 'files' | 'depth' | 'kinds' | 'names';

/** What became of a run's workspace. */
export interface WorkspaceEnd {
  /** What the next run begins with: what this one left, or, where that was undone, what it began with. Null: an empty one. */
  ref: WorkspaceRef | null;
  /** Set where what the run left was not kept; `message` is a sentence for whoever runs the command. */
  undone: { because: WorkspaceLoss; message: string } | null;
  /** The blobs that were stored for it and no run before had stored: to be attached as evidence, so that they stay. */
  stored: EvidenceRef[];
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
  /** Null where the run had none. */
  workspace: WorkspaceEnd | null;
  /** Every source the above was read from. */
  evidence: RunEvidence;
}
