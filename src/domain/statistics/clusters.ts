import { studentQuantile } from './distributions.js';
import type { Figure } from './figure.js';

/** With fewer, a standard error by cluster is too small to be trusted (Cameron and Miller 2015, § VI). */
export const FEWEST_CLUSTERS = 20;

/** A share with a standard error that takes trials of a group as alike. */
export interface ClusteredFigure extends Figure {
  standardError: number;
}

/** Graded and passed trials of a group. */
interface GradedGroup {
  graded: number;
  passed: number;
}

/**
 * A share of trials with an interval by clusters: standard error from the residuals summed by group, with G / (G − 1)
 * (Liang and Zeger 1986), and Student's t of G − 1 degrees of freedom (Cameron and Miller, A Practitioner's Guide to
 * Cluster-Robust Inference, 2015). The same as statsmodels' `OLS(passed, 1).fit(cov_type='cluster', use_t=True)`. Null
 * with fewer than {@link FEWEST_CLUSTERS} groups.
 */
export function clusteredShare(groups: readonly GradedGroup[]): ClusteredFigure | null {
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

/**
 * The mean of the groups' shares, with Student's t over groups, each of which counts once (Ibragimov and Müller, t-Statistic Based
 * Correlation and Heterogeneity Robust Inference, 2010): it holds for few groups, however alike the trials of one are, where
 * {@link clusteredShare} needs many. Null without a graded trial; without an interval where groups do not differ, or there is one.
 */
export function meanOfGroups(groups: readonly GradedGroup[]): Figure | null {
  const shares = groups.flatMap(({ graded, passed }) => (graded === 0 ? [] : [passed / graded]));
  if (shares.length === 0) return null;
  const units = shares.length;
  const method = { name: 'group-t', level: 0.95, units, resamples: null, seed: null } as const;
  const value = shares.reduce((sum, share) => sum + share, 0) / units;
  const squares = shares.reduce((sum, share) => sum + (share - value) ** 2, 0);
  if (units < 2 || squares === 0) return { value, interval: null, method };
  const half = studentQuantile(0.975, units - 1) * Math.sqrt(squares / (units - 1) / units);
  return { value, interval: { low: Math.max(0, value - half), high: Math.min(1, value + half) }, method };
}
