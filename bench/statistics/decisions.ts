/**
 * How often experiments decide rightly: simulated campaigns of a baseline and variants with known rates, decided as
 * `durabench experiment` does.
 *
 *   npx tsx bench/statistics/decisions.ts [EXPERIMENTS_A_CELL]        (default 1,000)
 *
 * The interval of a difference is drawn only where test and gain would have a variant adopted: elsewhere it decides nothing, and it is
 * most of the time. Of the first experiments of each cell all is computed as `compare` does, and has to come to the same.
 *
 * A cell: so many tasks, the share of them that flips by chance, and the true gain of the first variant or of all of them.
 * Prints a Markdown table: how often a variant that gains was adopted beside what the plan promises, and in how many experiments
 * one was that does not.
 */
import assert from 'node:assert/strict';
import { ALPHA, chanceToAdopt, decide } from '../../src/domain/statistics/decision.js';
import { flips as flipsOf, holm, mcnemarP, pairedDifference } from '../../src/domain/statistics/paired.js';
import { binned, comparedPairs, type PairInput } from '../../src/report/results/comparison.js';
import { createExperiments } from '../../tests/fixtures/statistics/simulated-experiment.js';

const experiments = Number(process.argv[2] ?? 1_000);
const experiment = createExperiments(20_261_125);

const TASKS = [50, 100, 300];
const FLIPS = [0.1, 0.3];
const GAINS = [0, 0.05, 0.1, 0.2];
const SMALLEST_EFFECT = 0.05;
/** Experiments of a cell of which everything is computed. */
const CHECKED = 5;
/** How many variants there are, and how many of them gain. */
const VARIANTS = [
  [1, 1],
  [3, 1],
  [3, 3],
] as const;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
let [worstFalse, worstPromise, worstShortfall] = [0, 0, 0];
console.log(
  '| variants | that gain | tasks | flips by chance | true gain | adopted | promised | adopted without a gain |\n' +
    '| --: | --: | --: | --: | --: | --: | --: | --: |',
);
for (const [variants, gaining] of VARIANTS)
  for (const tasks of TASKS)
    for (const flips of FLIPS)
      for (const gain of GAINS) {
        // Without a gain they are all alike.
        if (gain === 0 && gaining < variants) continue;
        const { adopted, falsely } = decided({ variants, gaining: gain === 0 ? 0 : gaining, tasks, flips, gain });
        const shares = { gained: gain + flips / 2, lost: flips / 2 };
        const promised = chanceToAdopt(tasks, shares, { smallestEffect: SMALLEST_EFFECT, variants });
        worstFalse = Math.max(worstFalse, falsely);
        if (adopted !== null && gaining === 1) worstPromise = Math.max(worstPromise, Math.abs(adopted - promised));
        if (adopted !== null) worstShortfall = Math.max(worstShortfall, promised - adopted);
        const cells = [percent(flips), percent(gain), adopted === null ? '–' : percent(adopted), percent(promised)];
        console.log(`| ${[variants, gain === 0 ? 0 : gaining, tasks, ...cells, percent(falsely)].join(' | ')} |`);
      }
console.log(`\nMost experiments that adopted a variant without a gain, of a cell: ${percent(worstFalse)}.`);
console.log(`Largest distance from the promise where one variant gains: ${percent(worstPromise)}.`);
console.log(`Farthest below the promise, of all: ${percent(worstShortfall)}.`);

/** Null adopted where none gains. */
function decided(cell: { variants: number; gaining: number; tasks: number; flips: number; gain: number }): {
  adopted: number | null;
  falsely: number;
} {
  const { variants, gaining, tasks, flips } = cell;
  const truth = Array.from({ length: variants }, (_, variant) => ({
    gained: flips / 2 + (variant < gaining ? cell.gain : 0),
    lost: flips / 2,
  }));
  let [adopted, falsely] = [0, 0];
  for (let count = 0; count < experiments; count += 1) {
    const inputs = experiment(tasks, truth);
    const isAdopted = adoptedOf(inputs, count);
    if (count < CHECKED) {
      const pairs = comparedPairs(inputs, count, SMALLEST_EFFECT);
      assert.deepEqual(
        isAdopted,
        pairs.map(({ decision }) => decision === 'adopt'),
      );
    }
    adopted += isAdopted.slice(0, gaining).filter(Boolean).length;
    if (isAdopted.slice(gaining).some(Boolean)) falsely += 1;
  }
  return { adopted: gaining === 0 ? null : adopted / gaining / experiments, falsely: falsely / experiments };
}

/** Which of the variants are adopted. */
function adoptedOf(inputs: readonly PairInput[], seed: number): boolean[] {
  const pairs = inputs.map(({ outcomes: [baseline, variant] }) =>
    binned(baseline.map(({ passed }, task) => ({ a: passed, b: variant[task]!.passed }))),
  );
  const ps = holm(pairs.map((bins) => mcnemarP(flipsOf(bins))));
  return pairs.map((bins, index) => {
    const pHolm = ps[index] ?? 1;
    const { gained, lost } = flipsOf(bins);
    const tasks = bins.reduce((sum, bin) => sum + bin.tasks, 0);
    if (pHolm > ALPHA || (gained - lost) / tasks < SMALLEST_EFFECT - 1e-9) return false;
    const difference = pairedDifference(bins, seed);
    if (difference?.interval == null) return false;
    return (
      decide({ difference: { value: difference.value, interval: difference.interval }, pHolm }, SMALLEST_EFFECT) ===
      'adopt'
    );
  });
}
