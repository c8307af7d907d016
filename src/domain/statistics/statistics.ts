/** An interval of a rate, both ends within 0..1. */
export interface Interval {
  low: number;
  high: number;
}

/** Normal quantile of a two-sided 95 % interval. */
const Z_95 = 1.959963984540054;

/**
 * Wilson score interval of a proportion, without continuity correction (Wilson 1927; the same numbers as SciPy's
 * `binomtest(k, n).proportion_ci(method='wilson')`). null when nothing was counted.
 */
export function wilsonInterval(successes: number, total: number, z: number = Z_95): Interval | null {
  if (total === 0) return null;
  const rate = successes / total;
  const zz = z * z;
  const centre = (rate + zz / (2 * total)) / (1 + zz / total);
  const half = (z / (1 + zz / total)) * Math.sqrt((rate * (1 - rate)) / total + zz / (4 * total * total));
  // At 0 and n the formula's end is exact; rounding must not leave a negative zero or 1.0000000002.
  return {
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === total ? 1 : Math.min(1, centre + half),
  };
}

/**
 * Bounds of a pass rate if every trial without a grade had failed (`low`) or passed (`high`); null when there is none.
 */
export function errorBounds(counts: { passed: number; graded: number; ungraded: number }): Interval | null {
  const all = counts.graded + counts.ungraded;
  return all === 0 ? null : { low: counts.passed / all, high: (counts.passed + counts.ungraded) / all };
}
