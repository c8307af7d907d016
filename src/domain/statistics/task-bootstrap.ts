import { randomBinomial } from 'd3-random';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { percentile } from './bootstrap.js';
import { normalShare, studentQuantile } from './distributions.js';
import type { Figure, IntervalMethod } from './figure.js';
import { wilsonInterval, type Interval } from './statistics.js';

/** The ends of a 95 % interval move by less than a tenth of its width between seeds. */
const RESAMPLES = 2000;

/** Tasks with equal results, as one. */
export interface TaskBin {
  tasks: number;
}

/** What a kind of task adds above and below the line of a ratio; nothing below: it is not counted. */
export type Share<Bin> = (bin: Bin) => { top: number; bottom: number };

/**
 * Ratios of sums over tasks with their 95 % intervals, by drawing as many tasks anew, with replacement, all ratios of the
 * same draws (the case of whole clusters in Davison and Hinkley, Bootstrap Methods and their Application, 1997, § 3.8:
 * repeats stay with their task). Ends are the percentiles that make up for the narrowness of a bootstrap of few tasks:
 * Φ(−√(n/(n−1)) · t), t of n − 1 degrees of freedom (Hesterberg, What Teachers Should Know about the Bootstrap, The
 * American Statistician 69, 2015, § 3.4). Where every task counts as all or
 * nothing the ratio is a share of tasks, and the interval Wilson's over them; so it is where tasks do not differ.
 * @param bins kinds of tasks; so the time taken does not grow with their number
 * @param isDrawn whether a ratio is drawn at all. Default: unless it is a share of tasks, or tasks do not differ in it
 * @returns null for a ratio without a counted task
 */
export function taskBootstrap<Bin extends TaskBin, Name extends string>(
  bins: readonly Bin[],
  shares: Readonly<Record<Name, Share<Bin>>>,
  seed: number,
  isDrawn: (terms: Terms) => boolean = isMixed,
): Record<Name, Figure | null> {
  const names = Object.keys(shares) as Name[];
  const terms = names.map((name) => bins.map(shares[name]));
  const isVaried = terms.map(isDrawn);
  const drawn = isVaried.includes(true) ? resampled(bins, terms, seed) : [];
  const figures = names.map((name, place): [Name, Figure | null] => {
    const own = terms[place]!;
    const tasks = bins.reduce((sum, bin, index) => sum + (own[index]!.bottom > 0 ? bin.tasks : 0), 0);
    if (tasks === 0) return [name, null];
    const value = ratio(
      own,
      bins.map((bin) => bin.tasks),
    );
    if (isVaried[place] !== true) return [name, wilsonFigure(value, tasks)];
    const interval = expandedPercentiles(drawn[place]!, tasks);
    return [name, { value, interval, method: { ...BY_TASK, units: tasks, seed } }];
  });
  return Object.fromEntries(figures) as Record<Name, Figure | null>;
}

const BY_TASK: Omit<IntervalMethod, 'units' | 'seed'> = { name: 'task-bootstrap', level: 0.95, resamples: RESAMPLES };

/** A share of tasks, each of which counts as one whatever its repeats. */
export function wilsonFigure(value: number, tasks: number): Figure {
  const hits = value === 1 ? tasks : value * tasks;
  const method: IntervalMethod = { name: 'wilson', level: 0.95, units: tasks, resamples: null, seed: null };
  return { value, interval: wilsonInterval(hits, tasks), method };
}

/** What each kind of tasks adds to one ratio. */
export type Terms = readonly { top: number; bottom: number }[];

/** Whether counted tasks differ in it. */
export function areDifferent(terms: Terms): boolean {
  const values = terms.filter(({ bottom }) => bottom > 0).map(({ top, bottom }) => top / bottom);
  return values.some((value) => value !== values[0]);
}

/** Whether they differ other than by all and nothing. */
function isMixed(terms: Terms): boolean {
  const counted = terms.filter(({ bottom }) => bottom > 0);
  const isShare = counted.every(({ top, bottom }) => bottom === counted[0]!.bottom && (top === 0 || top === bottom));
  return !isShare && areDifferent(terms);
}

/** Ratio by ratio, their values in all resamples, sorted; those without a counted task are left out. */
function resampled(bins: readonly TaskBin[], terms: readonly Terms[], seed: number): Float64Array[] {
  const counts = multinomial(
    bins.map(({ tasks }) => tasks),
    seed,
  );
  const values = terms.map(() => new Float64Array(RESAMPLES));
  for (let resample = 0; resample < RESAMPLES; resample += 1) {
    const drawn = counts();
    for (const [place, own] of terms.entries()) values[place]![resample] = ratio(own, drawn);
  }
  return values.map((own) => own.filter((value) => !Number.isNaN(value)).sort());
}

function ratio(terms: Terms, counts: ArrayLike<number>): number {
  let [top, bottom] = [0, 0];
  for (let bin = 0; bin < terms.length; bin += 1) {
    top += terms[bin]!.top * counts[bin]!;
    bottom += terms[bin]!.bottom * counts[bin]!;
  }
  return top / bottom;
}

/** Draws as many tasks as there are: how many of each kind. Kind after kind, each binomial in what is left. */
function multinomial(sizes: readonly number[], seed: number): () => Float64Array {
  const generator = xoroshiro128plus(seed);
  const binomial = randomBinomial.source(() => uniformFloat64(generator));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return () => {
    const counts = new Float64Array(sizes.length);
    let [left, tasks] = [all, all];
    for (const [kind, size] of sizes.entries()) {
      if (left === 0) break;
      const count = size === tasks ? left : binomial(left, size / tasks)();
      counts[kind] = count;
      left -= count;
      tasks -= size;
    }
    return counts;
  };
}

function expandedPercentiles(sorted: Float64Array, tasks: number): Interval {
  const share = normalShare(-Math.sqrt(tasks / (tasks - 1)) * studentQuantile(0.975, tasks - 1));
  return { low: percentile(sorted, share), high: percentile(sorted, 1 - share) };
}
