import type Docker from 'dockerode';
import type { RunClocks, RunKill } from '../../../contract/run-evidence.js';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import { judgeLooks, ownSeconds, type Look } from '../../../domain/limits/own-time.js';
import { askContainer } from '../engine/ask-container.js';

/** Beyond this a timer is not late because the loop was busy: the process was stopped, or its machine stood still. */
const STALL_MS = 2_000;
/** A moment's work; on a machine with a load of 50, seconds. */
const MEASURE_MS = 60_000;

/**
 * Keeps a processor busy for 0.1 s of CPU or 10 s by the clock, and prints what the container had used before and after (nanoseconds,
 * cgroup v1, then v2) when that was (hundredths of a second), and what its own start took (the same). Who burns CPU beside it makes its container look less slow, not more.
 */
const MEASURE = `used() {
  { read -r used </sys/fs/cgroup/cpuacct/cpuacct.usage; } 2>/dev/null ||
  { read -r _ used </sys/fs/cgroup/cpu.stat && used="$used"000; } 2>/dev/null; }
own() { read -r stat </proc/$$/stat; set -- \${stat##*) }; own=$((\${12} + \${13})); }
now() { read -r now _ </proc/uptime; now="\${now%.*}\${now#*.}"; }
own; used; now; first="$used"; begun="$now"
while used; now; [ $((used - first)) -lt 100000000 ] && [ $((now - begun)) -lt 1000 ]; do :; done
echo "$first $used $begun $now $own"`;
const MEASURED = /^(\d+) (\d+) (\d+) (\d+) (\d+)\n$/;
/** The kernel counts a process's CPU in hundredths of a second. */
const TICK_SECONDS = 0.01;

/** CPU seconds a container had used since its start before it was measured and with that, and how slowly it gets more. */
export interface Measured {
  before: number;
  after: number;
  slowness: number;
}

/** Null where nothing can be started in it: that is the doing of what runs there. An engine that does not answer is thrown. */
export async function measureContainer(container: Docker.Container): Promise<Measured | null> {
  const printed = MEASURED.exec(await askContainer(container, ['sh', '-c', MEASURE], MEASURE_MS));
  if (printed === null) return null;
  const [first = 0, used = 0, begun = 0, now = 0, own = 0] = printed.slice(1).map(Number);
  const cpu = (used - first) / 1e9;
  const slowness = cpu > 0 ? Math.max(1, (now - begun) / 100 / cpu) : 1;
  return { before: first / 1e9 - own * TICK_SECONDS, after: used / 1e9, slowness };
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
  // Of the measuring, which is nothing of the command's: seconds by the clock, and of CPU.
  let [measuring, measuringCpu] = [0, 0];
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
      const lookedAt = performance.now();
      const measured = await measure();
      if (isOver) return;
      const wall = (lookedAt - startedAt) / 1000 - measuring;
      const before = looks.at(-1)?.cpu ?? 0;
      const cpu = measured === null ? before : Math.max(before, measured.before - cpuBefore - measuringCpu);
      looks.push({ wall, cpu, slowness: measured?.slowness ?? 1 });
      measuring += (performance.now() - lookedAt) / 1000;
      measuringCpu += measured === null ? 0 : measured.after - measured.before;
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
