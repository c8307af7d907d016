import { chiSquaredShare, normalQuantile } from './distributions.js';
import type { Figure } from './figure.js';
import { wilsonInterval } from './statistics.js';
import { areDifferent, taskBootstrap, type TaskBin } from './task-bootstrap.js';

/** Tasks that two systems did equally: the share of repeats each of them passed. */
export interface PairBin extends TaskBin {
  /** 0..1 */
  a: number;
  b: number;
}

/**
 * The mean difference b − a over tasks, both of a task drawn together. Where every task has the same difference, the
 * interval allows for as many others as Wilson's does for 0 of n, at their most.
 */
export function pairedDifference(bins: readonly PairBin[], seed: number): Figure | null {
  const { difference } = taskBootstrap(
    bins,
    { difference: ({ a, b }) => ({ top: b - a, bottom: 1 }) },
    seed,
    areDifferent,
  );
  if (difference === null || difference.method.name !== 'wilson') return difference;
  const { value, method } = difference;
  const other = wilsonInterval(0, method.units)?.high ?? 1;
  return { value, method, interval: { low: value - other * (value + 1), high: value + other * (1 - value) } };
}

/** Tasks that b did better, and worse, than a. */
export function flips(bins: readonly PairBin[]): { gained: number; lost: number } {
  const sum = (isFlip: (bin: PairBin) => boolean): number =>
    bins.reduce((tasks, bin) => tasks + (isFlip(bin) ? bin.tasks : 0), 0);
  return { gained: sum(({ a, b }) => b > a), lost: sum(({ a, b }) => b < a) };
}

/**
 * The exact two-sided p of McNemar's test: the chance of a split at least as uneven where each of the flipped tasks is as
 * likely to flip either way (McNemar 1947; exact as in statsmodels' `mcnemar(table, exact=True)`). With repeats a task counts
 * by the sign of its difference, which is the exact sign test.
 */
export function mcnemarP({ gained, lost }: { gained: number; lost: number }): number {
  const flipped = gained + lost;
  // Logarithms: 2^-n is nothing from n = 1,075 on.
  let [term, sum] = [-flipped * Math.LN2, 0];
  for (let count = 0; count <= Math.min(gained, lost); count += 1) {
    sum += Math.exp(term);
    term += Math.log((flipped - count) / (count + 1));
  }
  return Math.min(1, 2 * sum);
}

/** McNemar's chi-squared over flipped tasks, without continuity correction, and its p at one degree of freedom; null for none. */
export function mcnemarChiSquared({
  gained,
  lost,
}: {
  gained: number;
  lost: number;
}): { value: number; p: number } | null {
  if (gained + lost === 0) return null;
  const value = (gained - lost) ** 2 / (gained + lost);
  return { value, p: 1 - chiSquaredShare(value, 1) };
}

/** Holm's adjusted p of tests that were made together (Holm 1979), in their order. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, index) => index).sort((one, other) => ps[one]! - ps[other]!);
  const adjusted = [...ps];
  let most = 0;
  for (const [rank, index] of order.entries()) {
    most = Math.max(most, Math.min(1, (ps.length - rank) * ps[index]!));
    adjusted[index] = most;
  }
  return adjusted;
}

/** What {@link tasksNeeded} is computed for. */
const POWER: Readonly<{ alpha: number; power: number }> = { alpha: 0.05, power: 0.8 };

/**
 * How many tasks a paired comparison needs to tell the difference that was seen, two-sided at 0.05 with a power of 0.8
 * (Connor, Sample Size for Testing Differences in Proportions for the Paired-Sample Design, Biometrics 43, 1987, eq. 1;
 * the share of flipped tasks is the mean square of the differences, which it is without repeats). Null where there is none.
 */
export function tasksNeeded(bins: readonly PairBin[]): number | null {
  const tasks = bins.reduce((sum, bin) => sum + bin.tasks, 0);
  const mean = (power: number): number =>
    bins.reduce((sum, bin) => sum + bin.tasks * (bin.b - bin.a) ** power, 0) / tasks;
  const [difference, square] = [mean(1), mean(2)];
  if (tasks === 0 || Math.abs(difference) < 1e-12) return null;
  const [forAlpha, forPower] = [normalQuantile(1 - POWER.alpha / 2), normalQuantile(POWER.power)];
  const spread = forAlpha * Math.sqrt(square) + forPower * Math.sqrt(Math.max(0, square - difference ** 2));
  return Math.ceil((spread / difference) ** 2);
}
