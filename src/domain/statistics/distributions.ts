import jstat from 'jstat';

// Agree with SciPy to 1e-7 and better: bench/statistics/compare.py.

/** The quantile of Student's t distribution. @param degrees of freedom, from 1 */
export function studentQuantile(share: number, degrees: number): number {
  return jstat.studentt.inv(share, degrees);
}

/** The share of a standard normal distribution below a value. */
export function normalShare(value: number): number {
  return jstat.normal.cdf(value, 0, 1);
}

/** The share of a chi-squared distribution below a value. @param degrees of freedom, from 1 */
export function chiSquaredShare(value: number, degrees: number): number {
  return jstat.chisquare.cdf(value, degrees);
}

/** The quantile of the standard normal distribution. */
export function normalQuantile(share: number): number {
  return jstat.normal.inv(share, 0, 1);
}
