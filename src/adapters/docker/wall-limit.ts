import type Docker from 'dockerode';
import type { RunClocks, RunKill } from '../../contract/run-evidence.js';
import type { SandboxLimits } from '../../contract/sandbox-limits.js';
import { judgeLooks, ownSeconds, type Look } from '../../domain/own-time.js';
import { askContainer } from './ask-container.js';

/** Beyond this a timer is not late because the loop was busy: the process was stopped, or its machine stood still. */
const STALL_MS = 2_000;
/** A moment's work; on a machine with a load of 50, seconds. */
const MEASURE_MS = 60_000;

/**
 * Keeps a processor busy for 0.1 s of CPU or 10 s by the clock, and prints what the container had used before and after (nanoseconds,
 * cgroup v1, then v2) and when that was (hundredths of a second). Who burns CPU beside it makes its container look less slow, not more.
 */
const MEASURE = `used() {
  { read -r used </sys/fs/cgroup/cpuacct/cpuacct.usage; } 2>/dev/null ||
  { read -r _ used </sys/fs/cgroup/cpu.stat && used="$used"000; } 2>/dev/null; }
now() { read -r now _ </proc/uptime; now="\${now%.*}\${now#*.}"; }
used; now; first="$used"; begun="$now"
while used; now; [ $((used - first)) -lt 100000000 ] && [ $((now - begun)) -lt 1000 ]; do :; done
echo "$first $used $begun $now"`;
const MEASURED = /^(\d+) (\d+) (\d+) (\d+)\n$/;

/** CPU seconds a container has used since its start, and how slowly it gets more. */
export type Measured = Pick<Look, 'cpu' | 'slowness'>;

/** Null where nothing can be started in it: that is the doing of what runs there. An engine that does not answer is thrown. */
export async function measureContainer(container: Docker.Container): Promise<Measured | null> {
  const printed = MEASURED.exec(await askContainer(container, ['sh', '-c', MEASURE], MEASURE_MS));
  if (printed === null) return null;
  const [first = 0, used = 0, begun = 0, now = 0] = printed.slice(1).map(Number);
  const cpu = (used - first) / 1e9;
  return { cpu: used / 1e9, slowness: cpu > 0 ? Math.max(1, (now - begun) / 100 / cpu) : 1 };
}

/** The wall limit of one command. */
export interface WallLimit {
  clocks(): Pick<RunClocks, 'slowness' | 'own'>;
  end(): void;
}

/**
 * Calls once, when the command has had its time for itself (`own-time.ts`), or nobody can tell. `cpuBefore`: what its container had
 * used, in seconds.
 */
export function startWallLimit(
  { limits, cpuBefore, measure }: WallLimitOptions,
  onReached: (kill: RunKill) => void,
): WallLimit {
  const startedAt = performance.now();
  const looks: Look[] = [];
  let timer: NodeJS.Timeout;
  let isOver = false;

  function wait(seconds: number): void {
    // Monotonic, and it goes on while the process is stopped.
    const dueAt = performance.now() + seconds * 1000;
    timer = setTimeout(() => {
      if (performance.now() - dueAt > STALL_MS) reach('stalled');
      else void look();
    }, seconds * 1000);
  }

  async function look(): Promise<void> {
    try {
      const measured = await measure();
      if (isOver) return;
      const wall = (performance.now() - startedAt) / 1000;
      const cpu = measured === null ? (looks.at(-1)?.cpu ?? 0) : Math.max(0, measured.cpu - cpuBefore);
      looks.push({ wall, cpu, slowness: measured?.slowness ?? 1 });
      const found = judgeLooks(looks, limits);
      if (found.end === null) wait(found.againInSeconds);
      else reach(found.end);
    } catch {
      reach('starved');
    }
  }

  function reach(kill: RunKill): void {
    if (!isOver) onReached(kill);
    isOver = true;
  }

  wait(limits.wallSeconds);
  return {
    clocks: () => ({ slowness: looks.at(-1)?.slowness ?? null, own: looks.length === 0 ? null : ownSeconds(looks) }),
    end: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

interface WallLimitOptions {
  limits: Pick<SandboxLimits, 'wallSeconds' | 'cpuSeconds'>;
  cpuBefore: number;
  measure: () => Promise<Measured | null>;
}
