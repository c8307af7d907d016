import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { Interval } from './statistics.js';

/** Resamples: the ends of a 95 % interval move by less than a tenth of its width between seeds. */
const RESAMPLES = 2000;
/** So many draws at most; fewer resamples for huge campaigns, never fewer than 200. */
const MOST_DRAWS = 20_000_000;

/**
 * Percentile intervals (95 %) of statistics over strata, by drawing anew within each stratum, with replacement (Efron and
 * Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13); all statistics of the same draws. The same seed gives the
 * same intervals. Null when a stratum is empty.
 */
export function stratifiedBootstrap<Name extends string>(
  strata: readonly (readonly number[])[],
  statistics: Readonly<Record<Name, (means: readonly { mean: number; size: number }[]) => number>>,
  seed: number,
): Record<Name, Interval | null> {
  const entries = Object.entries(statistics) as [Name, (typeof statistics)[Name]][];
  const size = strata.reduce((sum, stratum) => sum + stratum.length, 0);
  if (strata.length === 0 || strata.some((stratum) => stratum.length === 0))
    return byName(entries.map(([name]) => [name, null]));
  const random = xoroshiro128plus(seed);
  const resamples = Math.max(200, Math.min(RESAMPLES, Math.floor(MOST_DRAWS / size)));
  const draws = Array.from({ length: resamples }, () => strata.map((stratum) => drawnMean(stratum, random)));
  return byName(
    entries.map(([name, statistic]) => {
      const values = Float64Array.from(draws, statistic).sort();
      return [name, { low: percentile(values, 0.025), high: percentile(values, 0.975) }];
    }),
  );
}

/** Mean of as many values as there are, each drawn from all of them. */
function drawnMean(
  stratum: readonly number[],
  random: ReturnType<typeof xoroshiro128plus>,
): { mean: number; size: number } {
  let sum = 0;
  for (let draw = 0; draw < stratum.length; draw += 1) sum += stratum[uniformInt(random, 0, stratum.length - 1)] ?? 0;
  return { mean: sum / stratum.length, size: stratum.length };
}

function byName<Name extends string>(entries: [Name, Interval | null][]): Record<Name, Interval | null> {
  return Object.fromEntries(entries) as Record<Name, Interval | null>;
}

/** Linear between the two nearest ranks, as NumPy's default. */
function percentile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}
