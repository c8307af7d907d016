import type Docker from 'dockerode';
import type { RunKill } from '../../../contract/run-evidence.js';

/** Why a run is ended. */
type KillReason = RunKill | 'abort';

/** Ends a run from outside, once. */
export interface ContainerKiller {
  kill: (why: KillReason) => void;
  killedFor(): KillReason | null;
  /** Of the whole container until the kill; null when nothing was killed or it cannot be read. */
  cpuSeconds(): Promise<number | null>;
}

/** For one run; call `kill` from a timer or an abort. */
export function createContainerKiller(container: Docker.Container): ContainerKiller {
  let killedFor: KillReason | null = null;
  let cpu: Promise<number | null> = Promise.resolve(null);
  return {
    kill(why) {
      if (killedFor !== null) return;
      killedFor = why;
      // CPU time can be read only while the container runs; an engine may take a second to tell.
      if (why === 'wall') cpu = containerCpuSeconds(container);
      void cpu.then(() => container.kill({ signal: 'SIGKILL' })).catch(() => undefined);
    },
    killedFor: () => killedFor,
    cpuSeconds: () => cpu,
  };
}

/** CPU time of everything that ever ran in the container, as the engine's cgroup counts it; null where it cannot be read. */
async function containerCpuSeconds(container: Docker.Container): Promise<number | null> {
  try {
    const stats = await container.stats({ stream: false, 'one-shot': true });
    return stats.cpu_stats.cpu_usage.total_usage / 1e9;
  } catch {
    return null;
  }
}
