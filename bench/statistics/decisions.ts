/**
 * How often experiments decide rightly: simulated campaigns of a baseline and variants with known rates, decided as
 * `durabench experiment` does.
 *
 *   npx tsx bench/statistics/decisions.ts [EXPERIMENTS_A_CELL]        (default 1,000)
 *
 * A cell: so many tasks, the share of them that flips by chance, and the true gain of the first variant or of all of them.
 * Prints a Markdown table: how often a variant that gains was adopted beside what the plan promises, and in how many experiments
 * one was that does not.
 */
import { chanceToAdopt } from '../../src/domain/statistics/decision.js';
import { comparedPairs } from '../../src/report/results/comparison.js';
import { createExperiments } from '../../tests/fixtures/statistics/simulated-experiment.js';

const experiments = Number(process.argv[2] ?? 1_000);
const experiment = createExperiments(20_261_125);

const TASKS = [50, 100, 300];
const FLIPS = [0.1, 0.3];
const GAINS = [0, 0.05, 0.1, 0.2];
const SMALLEST_EFFECT = 0.05;
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
    const pairs = comparedPairs(experiment(tasks, truth), count, SMALLEST_EFFECT);
    const isAdopted = pairs.map(({ decision }) => decision === 'adopt');
    adopted += isAdopted.slice(0, gaining).filter(Boolean).length;
    if (isAdopted.slice(gaining).some(Boolean)) falsely += 1;
  }
  return { adopted: gaining === 0 ? null : adopted / gaining / experiments, falsely: falsely / experiments };
}
