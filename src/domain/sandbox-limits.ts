import type { SandboxLimits } from '../contract/sandbox-limits.js';

const MIB = 1024 * 1024;

/** The defaults of sandbox.md; a suite loosens one only by naming it. */
export const DEFAULT_SANDBOX_LIMITS: Readonly<SandboxLimits> = {
  memoryBytes: 2048 * MIB,
  cpus: 1,
  pids: 256,
  cpuSeconds: 30,
  wallSeconds: 120,
  tmpfsBytes: 256 * MIB,
  fileSizeBytes: 128 * MIB,
  outputBytes: 1 * MIB,
  openFiles: 1024,
};
