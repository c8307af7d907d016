/**
 * Our statistics on fixed cases, as JSON for compare.py, which computes each with SciPy, statsmodels and NumPy:
 *
 *   pip install numpy scipy statsmodels
 *   npx tsx bench/statistics/figures.ts | python3 bench/statistics/compare.py
 */
import { clusteredShare, meanOfGroups } from '../../src/domain/statistics/clusters.js';
import { normalQuantile, normalShare, studentQuantile } from '../../src/domain/statistics/distributions.js';
import {
  flips,
  holm,
  mcnemarChiSquared,
  mcnemarP,
  pairedDifference,
  tasksNeeded,
} from '../../src/domain/statistics/paired.js';
import { passAtK, passHatK } from '../../src/domain/statistics/repeats.js';
import { wilsonInterval } from '../../src/domain/statistics/statistics.js';
import { taskBootstrap } from '../../src/domain/statistics/task-bootstrap.js';

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const ends = (interval: { low: number; high: number } | null): number[] =>
  interval === null ? [] : [interval.low, interval.high];

/** Of draws: their mean over seeds, so that what is left is no chance. */
const meanEnds = (draw: (seed: number) => { low: number; high: number } | null): number[] => {
  const drawn = range(25).map((seed) => ends(draw(seed)));
  return [0, 1].map((end) => drawn.reduce((sum, each) => sum + (each[end] ?? 0), 0) / drawn.length);
};

const wilson = [1, 2, 7, 30, 124, 1000].flatMap((n) =>
  [...new Set([0, 1, Math.floor(n / 3), n - 1, n])].map((k) => ({ k, n, ends: ends(wilsonInterval(k, n)) })),
);
const repeats = [1, 2, 5, 16, 200].flatMap((n) =>
  [...new Set([0, 1, Math.floor(n / 2), n])].flatMap((c) =>
    [1, 2, 5, n]
      .filter((k) => k <= n)
      .map((k) => {
        const one = { graded: n, passed: c };
        return { n, c, k, at: passAtK(one, k), hat: passHatK(one, k) };
      }),
  ),
);
const mcnemar = [0, 1, 5, 16, 40, 400, 3000].flatMap((flipped) =>
  [...new Set([0, 1, Math.floor(flipped / 3), Math.floor(flipped / 2)])]
    .filter((lost) => lost <= flipped)
    .map((lost) => {
      const counts = { gained: flipped - lost, lost };
      return { ...counts, p: mcnemarP(counts), chi: mcnemarChiSquared(counts) };
    }),
);
const tests = [[0.01, 0.04, 0.03, 0.5], [0.6, 0.7], [0.2], [0.001, 0.001, 0.9, 0.02, 0.02]];
const clusters = [20, 35].map((count) => {
  const groups = range(count).map((index) => ({ graded: 3 + (index % 5), passed: (index * 7) % (4 + (index % 5)) }));
  const figure = clusteredShare(groups)!;
  const mean = meanOfGroups(groups)!;
  return {
    ...{ groups, value: figure.value, error: figure.standardError, ends: ends(figure.interval) },
    mean: [mean.value, ...ends(mean.interval)],
  };
});
const bootstraps = [
  [
    [3, 0, 8],
    [3, 1, 12],
    [3, 2, 9],
    [3, 3, 11],
  ],
  [
    [5, 0, 3],
    [4, 2, 5],
    [5, 5, 12],
  ],
  [
    [8, 0, 150],
    [8, 3, 200],
    [8, 8, 350],
  ],
].map((rows) => {
  const bins = rows.map(([graded = 0, passed = 0, tasks = 0]) => ({ graded, passed, tasks }));
  const shares = {
    score: (bin: (typeof bins)[number]) => ({ top: bin.passed, bottom: bin.graded }),
    hat: (bin: (typeof bins)[number]) => ({ top: passHatK(bin, 2) ?? 0, bottom: 1 }),
  };
  const of = (name: keyof typeof shares) => meanEnds((seed) => taskBootstrap(bins, shares, seed)[name]!.interval);
  return { bins: rows, score: of('score'), hat: of('hat') };
});
const differences = [
  [
    [1, 1, 50],
    [0, 0, 30],
    [0, 1, 15],
    [1, 0, 5],
  ],
  [
    [0.5, 1, 10],
    [0, 0.5, 12],
    [1, 0, 4],
    [1, 1, 20],
  ],
].map((rows) => {
  const bins = rows.map(([a = 0, b = 0, tasks = 0]) => ({ a, b, tasks }));
  return {
    bins: rows,
    ...flips(bins),
    ends: meanEnds((seed) => pairedDifference(bins, seed)!.interval),
    needed: tasksNeeded(bins),
  };
});
const student = [1, 2, 19, 49, 999].map((degrees) => ({ degrees, value: studentQuantile(0.975, degrees) }));
const normal = [-4, -2.2, -0.3, 1.3].map((value) => ({ value, share: normalShare(value) }));
const quantiles = [0.001, 0.2, 0.8, 0.975].map((share) => ({ share, value: normalQuantile(share) }));
const holms = tests.map((ps) => ({ ps, adjusted: holm(ps) }));
const figures = { wilson, repeats, mcnemar, holms, clusters, bootstraps, differences, student, normal, quantiles };
process.stdout.write(`${JSON.stringify(figures)}\n`);
