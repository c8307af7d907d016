import { studentQuantile } from './distributions.js';
import type { Figure } from './figure.js';

/** With fewer, a standard error by cluster is too small to be trusted (Cameron and Miller 2015, § VI). */
export const FEWEST_CLUSTERS = 20;

/** A share with a standard error that takes trials of a group as alike. */
export interface ClusteredFigure extends Figure {
  standardError: number;
}

/**
 * A share of trials with an interval by clusters: standard error from the residuals summed by group, with G / (G − 1)
 * (Liang and Zeger 1986), and Student's t of G − 1 degrees of freedom (Cameron and Miller, A Practitioner's Guide to
 * Cluster-Robust Inference, 2015). The same as statsmodels' `OLS(passed, 1).fit(cov_type='cluster', use_t=True)`. Null
 * with fewer than {@link FEWEST_CLUSTERS} groups.
 * @param groups graded and passed trials of each
 */
export function clusteredShare(groups: readonly { graded: number; passed: number }[]): ClusteredFigure | null {
  const counted = groups.filter(({ graded }) => graded > 0);
  if (counted.length < FEWEST_CLUSTERS) return null;
  const graded = counted.reduce((sum, group) => sum + group.graded, 0);
  const value = counted.reduce((sum, group) => sum + group.passed, 0) / graded;
  const squares = counted.reduce((sum, group) => sum + (group.passed - value * group.graded) ** 2, 0);
  const units = counted.length;
  const standardError = Math.sqrt((units / (units - 1)) * squares) / graded;
  const half = studentQuantile(0.975, units - 1) * standardError;
  return {
    value,
    standardError,
    interval: { low: Math.max(0, value - half), high: Math.min(1, value + half) },
    method: { name: 'clustered-t', level: 0.95, units, resamples: null, seed: null },
  };
}
