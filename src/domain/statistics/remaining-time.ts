import type { Interval } from './statistics.js';

/** Fewer ends say too little of the pace. */
const FEWEST_ENDS = 5;
/** Nine times in ten. */
const Z_90 = 1.645;

/**
 * How long the rest takes, in seconds, if the pace stays: `ended` of them in so many seconds, taken as a Poisson count,
 * whose square root has a standard deviation of about 1/2 whatever its mean (Anscombe 1948). Null where too few have ended.
 */
export function remainingSeconds(pace: { ended: number; seconds: number; left: number }): Interval | null {
  const { ended, seconds, left } = pace;
  if (ended < FEWEST_ENDS || seconds <= 0) return null;
  const at = (deviations: number): number => (left * seconds) / (Math.sqrt(ended) + (deviations * Z_90) / 2) ** 2;
  return { low: at(1), high: at(-1) };
}
