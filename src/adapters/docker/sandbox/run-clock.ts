import type Docker from 'dockerode';
import type { RunClocks, RunKill } from '../../../contract/run-evidence.js';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import { measureContainer, startWallLimit, type WallLimit } from './wall-limit.js';

/** For what is ours to do before a command starts: a container or an engine that hangs never does it. A nested engine copies its images first. */
const READY_MS = { plain: 300_000, withEngine: 1_200_000 } as const;

/** The time of one run. */
export interface RunClock {
  /** The command starts; with the CPU seconds its container had used before. */
  onReady: (cpuSecondsBefore: number) => void;
  isReady: () => boolean;
  end: () => void;
  /** `cpuSeconds`: what its container has used since its start, where that was read. */
  read: (cpuSeconds: number | null) => RunClocks;
}

/** Kills what is never ready, and what reaches its wall limit, which begins with the command: nothing before is its doing. */
export function startRunClock(
  { container, hasEngine }: { container: Docker.Container; hasEngine: boolean },
  limits: SandboxLimits,
  kill: (why: RunKill) => void,
): RunClock {
  const startedAt = performance.now();
  const since = (): number => (performance.now() - startedAt) / 1000;
  const timer = setTimeout(() => kill('unready'), hasEngine ? READY_MS.withEngine : READY_MS.plain);
  let wallLimit: WallLimit | null = null;
  let [ready, before, wall]: (number | null)[] = [null, null, null];
  return {
    onReady(cpuSecondsBefore) {
      clearTimeout(timer);
      [ready, before] = [since(), cpuSecondsBefore];
      const measure = (): ReturnType<typeof measureContainer> => measureContainer(container);
      wallLimit = startWallLimit({ limits, cpuBefore: cpuSecondsBefore, measure }, kill);
    },
    isReady: () => ready !== null,
    end() {
      clearTimeout(timer);
      wallLimit?.end();
      wall ??= since();
    },
    read: (cpuSeconds) => ({
      ...{ ready: ready ?? null, wall: wall ?? since() },
      cpu: cpuSeconds === null || typeof before !== 'number' ? null : cpuSeconds - before,
      ...(wallLimit?.clocks() ?? { slowness: null, own: null }),
    }),
  };
}
