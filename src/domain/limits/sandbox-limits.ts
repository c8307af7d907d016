import type { LoosenedLimits, SandboxLimits } from '../../contract/sandbox-limits.js';
import { DomainFailure } from '../failure/domain-failure.js';

const MIB = 1024 * 1024;

/** With less free disk than this no sandbox run is admitted, unless the environment names another number. */
export const MINIMUM_FREE_BYTES = 2048 * MIB;

/** The defaults of every sandbox run, as `durabench doctor --sandbox` shows them; a suite loosens one only by naming it. */
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
  workspaceBytes: 256 * MIB,
  workspaceFiles: 50_000,
  workspaceDepth: 64,
};

/** Limits that belong to a container; those of a single command (processor and wall time, output) do not make another. */
export function containerLimits(limits: Readonly<SandboxLimits>): Record<string, number> {
  const { memoryBytes, cpus, pids, tmpfsBytes, fileSizeBytes, openFiles } = limits;
  return { memoryBytes, cpus, pids, tmpfsBytes, fileSizeBytes, openFiles };
}

/**
 * Refuses a run with a limit that is looser than the default without the suite's manifest saying so.
 * @throws DomainFailure `harness.bug`
 */
export function checkLimits(asked: Partial<SandboxLimits> = {}, loosened: LoosenedLimits = {}): void {
  const looserThan = (allowed: Readonly<Partial<SandboxLimits>>): string[] => {
    const most = { ...DEFAULT_SANDBOX_LIMITS, ...allowed };
    return Object.entries(asked).flatMap(([name, value]) =>
      value <= most[name as keyof SandboxLimits] ? [] : [`${name} ${value}`],
    );
  };
  const excess = looserThan({});
  if (excess.length === 0 || Object.values(loosened).some((allowed) => looserThan(allowed).length === 0)) return;
  throw new DomainFailure(
    'harness.bug',
    `a sandbox run asks for ${excess.join(', ')}; the suite's manifest names no such limits (sandboxLimits)`,
  );
}
