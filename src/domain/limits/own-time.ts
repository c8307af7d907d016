import type { SandboxLimits } from '../../contract/sandbox-limits.js';

/** A look at a run that has reached its wall limit by the clock. */
export interface Look {
  /** Seconds since its command was started. */
  wall: number;
  /** CPU seconds its container has used since then. */
  cpu: number;
  /** Wall seconds that a second of CPU takes in its container now; at least 1. */
  slowness: number;
}

/** What a look says: the limit is reached, nobody will be able to say, or the command has time left. */
export type LookEnd = { end: 'wall' | 'starved' } | { end: null; againInSeconds: number };

/** How long a run may take by the clock, whatever its machine does: so much more than its limit, and at least this by itself. */
const MOST_FACTOR = 8;
const MOST_SECONDS = 1_200;
/** For limits of seconds. */
const LEAST_SECONDS = 60;
const LEAST_FACTOR = 1.25;
/** Between two looks. */
const PAUSE_SECONDS = 1;

/**
 * How long a run would have taken on an idle machine: the time in which it slept, and its CPU. Between two looks each second of CPU took
 * `slowness` seconds by the clock, so that the rest was sleep. A sleeper has no CPU for which anything could be taken off.
 */
export function ownSeconds(looks: readonly Look[]): number {
  return looks.reduce((sum, look, index) => {
    const before = looks[index - 1] ?? { wall: 0, cpu: 0 };
    const cpu = Math.max(0, look.cpu - before.cpu);
    return sum + Math.max(cpu, look.wall - before.wall - cpu * (look.slowness - 1));
  }, 0);
}

/** What is to become of a run. With the CPU of its limit used up, by whichever of its processes, it has had its time. */
export function judgeLooks(looks: readonly Look[], limits: Pick<SandboxLimits, 'wallSeconds' | 'cpuSeconds'>): LookEnd {
  const last = looks.at(-1);
  if (last === undefined) return { end: null, againInSeconds: limits.wallSeconds };
  const own = ownSeconds(looks);
  if (last.cpu >= limits.cpuSeconds || own >= limits.wallSeconds) return { end: 'wall' };
  const left = mostSeconds(limits.wallSeconds) - last.wall;
  if (left <= 0) return { end: 'starved' };
  return { end: null, againInSeconds: Math.min(left, Math.max(PAUSE_SECONDS, limits.wallSeconds - own)) };
}

/** By the clock. Attempts at stages have their own time, which this must leave room in. */
export function mostSeconds(wallSeconds: number): number {
  return Math.max(
    LEAST_FACTOR * wallSeconds,
    Math.min(Math.max(MOST_FACTOR * wallSeconds, LEAST_SECONDS), MOST_SECONDS),
  );
}
