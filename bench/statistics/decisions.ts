/**
 * How often experiments decide rightly: simulated campaigns of a baseline and a variant with known rates, decided as
 * `durabench experiment` does.
 *
 *   npx tsx bench/statistics/decisions.ts [EXPERIMENTS_A_CELL]        (default 1,000)
 *
 * A cell: so many tasks, the share of them that flips by chance, and the true gain. Prints a Markdown table: how many
 * variants were adopted beside what the plan promises, and how many without a gain.
 */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { chanceToAdopt } from '../../src/domain/statistics/decision.js';
import type { TaskOutcome } from '../../src/ports/records.js';
import { comparedPairs } from '../../src/report/results/comparison.js';

const experiments = Number(process.argv[2] ?? 1_000);
const generator = xoroshiro128plus(20_261_125);
const uniform = (): number => uniformFloat64(generator);

const TASKS = [50, 100, 300];
const FLIPS = [0.1, 0.3];
const GAINS = [0, 0.05, 0.1, 0.2];
const SMALLEST_EFFECT = 0.05;
const VARIANTS = [1, 3];

/** One variant's results beside the baseline's: a task is gained, lost, or as it was, half of those passed. */
function pairsOf(tasks: number, variants: number, { gained, lost }: { gained: number; lost: number }) {
  const ends = Array.from({ length: tasks }, () => uniform() < 0.5);
  return Array.from({ length: variants }, (_, variant) => {
    const both = ends.map((end): [boolean, boolean] => {
      const drawn = uniform();
      if (drawn < gained) return [false, true];
      return drawn < gained + lost ? [true, false] : [end, end];
    });
    const [a, b] = [0, 1].map((side) => both.map((pair, task) => outcome(task, side, pair[side] === true)));
    const named = (system: string) => ({ campaign: 'simulated', system });
    return {
      a: named('baseline'),
      b: named(`variant-${variant}`),
      outcomes: [a!, b!] as [TaskOutcome[], TaskOutcome[]],
      columns: [],
    };
  });
}

function outcome(task: number, side: number, isPassed: boolean): TaskOutcome {
  const taskId = `task-${task}`;
  const trial = `${taskId}/${side}`;
  return {
    ...{ taskId, systemId: String(side), group: 'all', sha256: taskId, graded: 1, passed: isPassed ? 1 : 0 },
    ...{ passedTrial: isPassed ? trial : null, failedTrial: isPassed ? null : trial, metrics: {} },
  };
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
let [worstPromise, worstFalse] = [0, 0];
console.log(
  '| variants | tasks | flips by chance | true gain | adopted | promised |\n| --- | --- | --- | --- | --- | --- |',
);
for (const variants of VARIANTS) {
  for (const tasks of TASKS) {
    for (const flips of FLIPS) {
      for (const gain of GAINS) {
        const shares = { gained: gain + flips / 2, lost: flips / 2 };
        let [adopted, some] = [0, 0];
        for (let count = 0; count < experiments; count += 1) {
          const pairs = comparedPairs(pairsOf(tasks, variants, shares), count, SMALLEST_EFFECT);
          const taken = pairs.filter(({ decision }) => decision === 'adopt').length;
          adopted += taken / variants;
          some += taken > 0 ? 1 : 0;
        }
        const promised = chanceToAdopt(tasks, shares, { smallestEffect: SMALLEST_EFFECT, variants });
        if (gain === 0) worstFalse = Math.max(worstFalse, some / experiments);
        else if (variants === 1) worstPromise = Math.max(worstPromise, Math.abs(adopted / experiments - promised));
        console.log(
          `| ${variants} | ${tasks} | ${percent(flips)} | ${percent(gain)} | ${percent(adopted / experiments)} | ${percent(promised)} |`,
        );
      }
    }
  }
}
console.log(`\nMost experiments that adopted something without a gain, of a cell: ${percent(worstFalse)}.`);
console.log(`Largest distance from the promise with one variant: ${percent(worstPromise)}.`);
