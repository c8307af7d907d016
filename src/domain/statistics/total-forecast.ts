import type { WorkSample } from '../../contract/plan.js';
import { studentQuantile } from './distributions.js';
import type { Interval } from './statistics.js';

/** Fewer say nothing of how much they differ. */
const FEWEST = 3;

/**
 * What so many further pieces like those of the sample come to together: their own chance and that of the sample's mean
 * added, as a 95 % prediction interval of Student's t. Null where the sample is too small; never below 0.
 */
export function totalForecast({ pieces, mean, deviation }: WorkSample, further: number): Interval | null {
  if (further === 0) return { low: 0, high: 0 };
  if (pieces < FEWEST) return null;
  const error = deviation * Math.sqrt(further + further ** 2 / pieces) * studentQuantile(0.975, pieces - 1);
  return { low: Math.max(0, further * mean - error), high: further * mean + error };
}

/** The sum of what is independent of one another; null where one of them is not known. */
export function sumForecast(parts: readonly (Interval | null)[]): Interval | null {
  const known = parts.filter((part) => part !== null);
  if (known.length < parts.length) return null;
  const middle = known.reduce((sum, { low, high }) => sum + (low + high) / 2, 0);
  const error = Math.sqrt(known.reduce((sum, { low, high }) => sum + ((high - low) / 2) ** 2, 0));
  return { low: Math.max(0, middle - error), high: middle + error };
}
