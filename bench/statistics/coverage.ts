/**
 * Whether the intervals of a report hold what they promise: simulated campaigns with known rates, cell by cell, and the
 * share whose 95 % interval holds the truth.
 *
 *   npx tsx bench/statistics/coverage.ts [CAMPAIGNS_A_CELL]        (default 100: 10,800 campaigns)
 *
 * A cell: so many tasks, repeats and mean rate of passing, and how alike repeats of a task are (intraclass correlation of
 * Beta-distributed rates). Every campaign has a second system, half of whose tasks are as hard as for the first. Cells with
 * groups have tasks that are alike within groups. Prints a Markdown page, the worst cell of every figure last.
 */
import { randomBeta, randomBinomial } from 'd3-random';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { clusteredShare } from '../../src/domain/statistics/clusters.js';
import type { Figure } from '../../src/domain/statistics/figure.js';
import { pairedDifference } from '../../src/domain/statistics/paired.js';
import { passAtK, passHatK } from '../../src/domain/statistics/repeats.js';
import { taskBootstrap, wilsonFigure } from '../../src/domain/statistics/task-bootstrap.js';

const SEED = 20_261_125;
const campaigns = Number(process.argv[2] ?? 100);
const generator = xoroshiro128plus(SEED);
const uniform = (): number => uniformFloat64(generator);
const beta = randomBeta.source(uniform);
const binomial = randomBinomial.source(uniform);

const TASKS = [20, 50, 120, 500];
const RATES = [0.05, 0.2, 0.5, 0.8, 0.95];
const REPEATS = [1, 3, 8];
const ALIKE = [0.1, 0.5];
const GROUPS = [20, 50];

interface Tally {
  cell: string;
  figure: string;
  held: number;
  campaigns: number;
}
const tallies: Tally[] = [];

/** Beta with a mean and an intraclass correlation; its moments are what pass@k and pass^k are. */
function betaOf(mean: number, alike: number) {
  const size = 1 / alike - 1;
  const moment = (share: number, k: number): number =>
    Array.from({ length: k }, (_, index) => (share * size + index) / (size + index)).reduce(
      (one, other) => one * other,
      1,
    );
  return {
    draw: beta(mean * size, (1 - mean) * size),
    passHat: (k: number) => moment(mean, k),
    passAt: (k: number) => 1 - moment(1 - mean, k),
  };
}

function tasksCell(tasks: number, repeats: number, rate: number, alike: number): void {
  const cell = `${tasks} tasks, ${repeats} repeats, rate ${rate}${repeats > 1 ? `, alike ${alike}` : ''}`;
  const [own, other] = [betaOf(rate, alike), betaOf(rate < 0.5 ? rate + 0.2 : rate - 0.2, alike)];
  const otherMean = rate < 0.5 ? rate + 0.2 : rate - 0.2;
  const held = new Map<string, number>();
  const count = (name: string, figure: Figure | null, truth: number): void => {
    const { low, high } = figure?.interval ?? { low: 0, high: 0 };
    held.set(name, (held.get(name) ?? 0) + (low <= truth + 1e-12 && truth - 1e-12 <= high ? 1 : 0));
  };
  for (let campaign = 0; campaign < campaigns; campaign += 1) {
    const drawn = Array.from({ length: tasks }, () => {
      const p = own.draw();
      return [binomial(repeats, p)(), binomial(repeats, uniform() < 0.5 ? p : other.draw())()] as const;
    });
    const bins = binned(drawn.map(([passed]) => ({ passed, graded: repeats })));
    const seed = campaign;
    if (repeats === 1)
      count('score (Wilson)', wilsonFigure(drawn.reduce((sum, [a]) => sum + a, 0) / tasks, tasks), rate);
    else {
      const k = repeats;
      const figures = taskBootstrap(
        bins,
        {
          score: ({ passed, graded }) => ({ top: passed, bottom: graded }),
          two: (bin) => ({ top: passAtK(bin, 2) ?? 0, bottom: 1 }),
          bothOf: (bin) => ({ top: passHatK(bin, 2) ?? 0, bottom: 1 }),
          at: (bin) => ({ top: passAtK(bin, k) ?? 0, bottom: 1 }),
          hat: (bin) => ({ top: passHatK(bin, k) ?? 0, bottom: 1 }),
        },
        seed,
      );
      count('score (bootstrap by task)', figures.score, rate);
      count('pass@2', figures.two, own.passAt(2));
      count('pass^2', figures.bothOf, own.passHat(2));
      count('pass@k, k all repeats', figures.at, own.passAt(k));
      count('pass^k, k all repeats', figures.hat, own.passHat(k));
    }
    const pairs = binned(drawn.map(([a, b]) => ({ a: a / repeats, b: b / repeats })));
    count('paired difference', pairedDifference(pairs, seed), (otherMean - rate) / 2);
  }
  for (const [figure, hits] of held) tallies.push({ cell, figure, held: hits, campaigns });
}

function groupsCell(groups: number, rate: number, alike: number): void {
  const own = betaOf(rate, alike);
  let held = 0;
  for (let campaign = 0; campaign < campaigns; campaign += 1) {
    const drawn = Array.from({ length: groups }, () => {
      const graded = 5 + Math.floor(uniform() * 16);
      return { graded, passed: binomial(graded, own.draw())() };
    });
    const { low, high } = clusteredShare(drawn)?.interval ?? { low: 0, high: 0 };
    held += low <= rate && rate <= high ? 1 : 0;
  }
  const cell = `${groups} groups of 5 to 20 tasks, rate ${rate}, alike ${alike}`;
  tallies.push({ cell, figure: 'score (clustered by group)', held, campaigns });
}

function binned<Row extends object>(rows: readonly Row[]): (Row & { tasks: number })[] {
  const bins = new Map<string, Row & { tasks: number }>();
  for (const row of rows) {
    const key = JSON.stringify(row);
    const bin = bins.get(key);
    if (bin === undefined) bins.set(key, { ...row, tasks: 1 });
    else bin.tasks += 1;
  }
  return [...bins.values()];
}

const cells: (() => void)[] = [];
for (const tasks of TASKS)
  for (const rate of RATES)
    for (const repeats of REPEATS)
      for (const alike of repeats === 1 ? [0.5] : ALIKE) cells.push(() => tasksCell(tasks, repeats, rate, alike));
for (const groups of GROUPS)
  for (const rate of [0.2, 0.5]) for (const alike of ALIKE) cells.push(() => groupsCell(groups, rate, alike));
for (const cell of cells) cell();

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const share = (some: readonly Tally[]): number =>
  some.reduce((sum, { held }) => sum + held, 0) / some.reduce((sum, each) => sum + each.campaigns, 0);
const figures = [...new Set(tallies.map(({ figure }) => figure))];
console.log(`${cells.length * campaigns} campaigns in ${cells.length} cells, seed ${SEED}\n`);
console.log('| figure | cells | coverage, mean | worst cell | coverage there |\n| --- | ---: | ---: | --- | ---: |');
for (const figure of figures) {
  const own = tallies.filter((tally) => tally.figure === figure);
  const worst = own.reduce((one, other) => (other.held / other.campaigns < one.held / one.campaigns ? other : one));
  console.log(`| ${figure} | ${own.length} | ${percent(share(own))} | ${worst.cell} | ${percent(share([worst]))} |`);
}
console.log(`| all | ${cells.length} | ${percent(share(tallies))} | | |`);
