/** Limits of one run. Defaults: `DEFAULT_SANDBOX_LIMITS` in `src/domain/limits/sandbox-limits.ts`. */
export interface SandboxLimits {
  /** Memory = memory + swap. */
  memoryBytes: number;
  cpus: number;
  pids: number;
  /** RLIMIT_CPU of the command in seconds; the judgement. */
  cpuSeconds: number;
  /** Wall limit in seconds, 4 x CPU; enforced from outside by killing the container. */
  wallSeconds: number;
  /** Size of each tmpfs (/tmp and /work). */
  tmpfsBytes: number;
  /** RLIMIT_FSIZE. */
  fileSizeBytes: number;
  /** Cap on captured stdout and stderr, each; head and tail kept, the cut marked. */
  outputBytes: number;
  openFiles: number;
  /** Size of a workspace: of its files together. */
  workspaceBytes: number;
  /** Names in a workspace: files, folders, links. */
  workspaceFiles: number;
  /** Folders in folders of a workspace: `a/b/c` is three deep. */
  workspaceDepth: number;
}

/** What its runs are for → the limits that differ from the defaults; every run must stay within one entry, or the defaults. */
export type LoosenedLimits = Readonly<Record<string, Readonly<Partial<SandboxLimits>>>>;
