/** Of one answer to the next, before two were seen. */
const FIRST_INTERVAL_MS = 200;
/** A retry of Temporal's takes about as long. */
const SHORTEST_MS = 50;
/** Longer gaps are pauses of ours or of the provider, not its pace. */
const LONGEST_INTERVAL_MS = 2_000;
/** Share of the newest gap in the interval. */
const NEWEST = 0.2;

/** Who was sent away to come back later, so that not all come back at once. */
export interface WaitingLine {
  /** An answer came: this is the pace. */
  answered(): void;
  /** Milliseconds from one answer to the next. */
  intervalMs(): number;
  /** A call is here again, or gone for good. */
  arrived(call: string): void;
  /** When the call should come back: after `holdMs` and after those sent away before it, but no further back than said. */
  sentAway(call: string, wait: { holdMs: number; furthestMs: number }): number;
}

/** @param now milliseconds of a clock that only goes forward; @param random 0..1 */
export function createWaitingLine(now: () => number, random: () => number): WaitingLine {
  const away = new Map<string, number>();
  let interval = FIRST_INTERVAL_MS;
  let lastAnswerAt: number | null = null;

  return {
    answered() {
      const gap = lastAnswerAt === null ? interval : Math.min(now() - lastAnswerAt, LONGEST_INTERVAL_MS);
      interval += NEWEST * (gap - interval);
      lastAnswerAt = now();
    },
    intervalMs: () => interval,
    arrived: (call) => void away.delete(call),
    sentAway(call, { holdMs, furthestMs }) {
      // A call that did not come back when it should have went to another worker, or its campaign was cancelled.
      for (const [other, at] of away) if (at < now()) away.delete(other);
      away.delete(call);
      const place = Math.min((away.size + 1) * interval, furthestMs);
      const delay = Math.max(SHORTEST_MS, Math.ceil(holdMs + place * (0.6 + 0.4 * random())));
      away.set(call, now() + delay);
      return delay;
    },
  };
}
