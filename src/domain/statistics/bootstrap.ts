import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { Interval } from './statistics.js';

/** Resamples: the ends of a 95 % interval move by less than a tenth of its width between seeds. */
const RESAMPLES = 2000;
/** So many draws at most; fewer resamples for huge campaigns, never fewer than 200. */
const MOST_DRAWS = 20_000_000;

/** Values of something measured of every item, stratum by stratum. */
type Strata = readonly (readonly number[])[];

/** A statistic of the means of the strata. */
type Statistic = (means: readonly { mean: number; size: number }[]) => number;

/**
 * Percentile intervals (95 %) of statistics over strata, by drawing items anew within each stratum, with replacement (Efron
 * and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13). What is measured of the same items (`measures`, alike in
 * shape) is drawn together, and so are all statistics. The same seed gives the same intervals. Null when a stratum is empty.
 */
export function stratifiedBootstrap<Measure extends string, Name extends string>(
  measures: Readonly<Record<Measure, Strata>>,
  statistics: Readonly<Record<Name, Statistic>>,
  seed: number,
): Record<Measure, Record<Name, Interval | null>> {
  const measured = Object.entries(measures) as [Measure, Strata][];
  const sizes = measured[0]?.[1].map((stratum) => stratum.length) ?? [];
  const isEmpty = sizes.length === 0 || sizes.includes(0);
  const draws = isEmpty ? [] : drawn(measured, sizes, seed);
  const interval = (place: number, statistic: Statistic): Interval | null => {
    if (isEmpty) return null;
    const values = Float64Array.from(draws, (means) => statistic(means[place] ?? [])).sort();
    return { low: percentile(values, 0.025), high: percentile(values, 0.975) };
  };
  const names = Object.entries(statistics) as [Name, Statistic][];
  return byName(
    measured.map(([measure], place) => [
      measure,
      byName(names.map(([name, statistic]) => [name, interval(place, statistic)])),
    ]),
  );
}

type Means = { mean: number; size: number }[];

/** Resample by resample, measure by measure: the means of the strata. */
function drawn(measured: readonly [string, Strata][], sizes: readonly number[], seed: number): Means[][] {
  const random = xoroshiro128plus(seed);
  const size = sizes.reduce((sum, each) => sum + each, 0);
  const resamples = Math.max(200, Math.min(RESAMPLES, Math.floor(MOST_DRAWS / size)));
  return Array.from({ length: resamples }, () => {
    const means: Means[] = measured.map(() => []);
    for (const [stratum, count] of sizes.entries()) {
      const values = measured.map(([, strata]) => strata[stratum] ?? []);
      const sums = new Float64Array(values.length);
      // Millions of times.
      for (let draw = 0; draw < count; draw += 1) {
        const item = uniformInt(random, 0, count - 1);
        for (let place = 0; place < sums.length; place += 1) sums[place]! += values[place]![item] ?? 0;
      }
      for (const [place, own] of means.entries()) own.push({ mean: sums[place]! / count, size: count });
    }
    return means;
  });
}

const byName = <Name extends string, Value>(entries: [Name, Value][]): Record<Name, Value> =>
  Object.fromEntries(entries) as Record<Name, Value>;

/** Linear between the two nearest ranks, as NumPy's default. */
export function percentile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}
