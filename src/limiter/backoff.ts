/** Of one answer to the next, before two were seen. */
const FIRST_INTERVAL_MS = 200;
/** A retry of Temporal's takes about as long. */
const SHORTEST_MS = 50;
/** Longer gaps are pauses of ours or of the provider, not its pace. */
const LONGEST_INTERVAL_MS = 2_000;
/** Share of the newest gap in the interval. */
const NEWEST = 0.2;

/** When deferred calls try again, so that not all do at once. */
export interface Backoff {
  /** An answer came: this is the pace. */
  answered(): void;
  /** Milliseconds from one answer to the next. */
  intervalMs(): number;
  /** A call is here again, or gone for good. */
  arrived(call: string): void;
  /** Milliseconds until the call should try again: after `holdMs` and after those deferred before it, but no further back than said. */
  deferred(call: string, wait: { holdMs: number; furthestMs: number }): number;
}

/** @param now milliseconds of a clock that only goes forward; @param random 0..1 */
export function createBackoff(now: () => number, random: () => number): Backoff {
  const deferrals = new Map<string, number>();
  let interval = FIRST_INTERVAL_MS;
  let lastAnswerAt: number | null = null;

  return {
    answered() {
      const gap = lastAnswerAt === null ? interval : Math.min(now() - lastAnswerAt, LONGEST_INTERVAL_MS);
      interval += NEWEST * (gap - interval);
      lastAnswerAt = now();
    },
    intervalMs: () => interval,
    arrived: (call) => void deferrals.delete(call),
    deferred(call, { holdMs, furthestMs }) {
      // A call that did not try again when it should have went to another worker, or its campaign was cancelled.
      for (const [other, at] of deferrals) if (at < now()) deferrals.delete(other);
      deferrals.delete(call);
      const place = Math.min((deferrals.size + 1) * interval, furthestMs);
      const delay = Math.max(SHORTEST_MS, Math.ceil(holdMs + place * (0.6 + 0.4 * random())));
      deferrals.set(call, now() + delay);
      return delay;
    },
  };
}
