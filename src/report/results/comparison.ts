import { ALPHA, decide, type Decision } from '../../domain/statistics/decision.js';
import {
  holm,
  flips,
  mcnemarChiSquared,
  mcnemarP,
  pairedDifference,
  tasksNeeded,
  type PairBin,
} from '../../domain/statistics/paired.js';
import type { Figure } from '../../domain/statistics/figure.js';
import type { TaskOutcome } from '../../ports/records.js';
import type { ResultColumn } from '../../suite/report.js';

/** One system of one campaign, or the model of a log that another program wrote. */
export interface ComparedSystem {
  /** Of a log the name of its file. */
  campaign: string;
  system: string;
  source: 'campaign' | 'inspect';
}

/** What a system did on one task. */
export interface TaskResult {
  graded: number;
  passed: number;
  /** A trial that shows it. */
  trial: string;
}

/** A task that one system did better than the other. */
export interface Flip {
  task: string;
  group: string;
  change: 'gained' | 'lost';
  a: TaskResult;
  b: TaskResult;
}

/** Two systems, task by task; only tasks that both were graded on count. */
export interface ComparedPair {
  a: ComparedSystem;
  b: ComparedSystem;
  tasks: number;
  /** Tasks only one of them was graded on. */
  only_a: number;
  only_b: number;
  /** Means over the tasks of the share of repeats that passed. */
  score_a: number;
  score_b: number;
  /** b − a. */
  difference: Figure;
  gained: number;
  lost: number;
  /** Of the exact McNemar test; with repeats of the exact sign test over tasks. */
  p: number;
  /** McNemar's chi-squared without continuity correction; null where no task flipped. */
  chi_squared: { value: number; p: number } | null;
  /** The suite's own rates; those that no task has for both are left out. */
  columns: ComparedColumn[];
  /** Adjusted by Holm over all pairs of the comparison. */
  p_holm: number;
  /** Whether interval and adjusted test both say that the systems differ. */
  differs: boolean;
  /** What an experiment makes of b, its variant, against a, its baseline; null where nobody said before what to decide. */
  decision: Decision | null;
  /** To tell the difference that was seen; null where there is none. */
  tasks_needed: number | null;
  /** What was lost first, the largest change first. */
  flips: Flip[];
}

/** A rate of the suite beside the score, over the tasks for which both systems have it. */
export interface ComparedColumn {
  id: string;
  title: string;
  tasks: number;
  /** Means over these tasks. */
  a: number;
  b: number;
  /** b − a. */
  difference: Figure;
}

/** What is compared, and by what each system did on its tasks. */
export interface PairInput {
  a: ComparedSystem;
  b: ComparedSystem;
  outcomes: [a: readonly TaskOutcome[], b: readonly TaskOutcome[]];
  /** The suite's own. */
  columns: readonly ResultColumn[];
}

/**
 * Compares pairs of systems together. @param smallestEffect of the experiment whose baseline is `a` of each pair; null: there is none
 * @returns only pairs with a task that both were graded on
 */
export function comparedPairs(
  inputs: readonly PairInput[],
  seed: number,
  smallestEffect: number | null = null,
): ComparedPair[] {
  const pairs = inputs.flatMap((input) => comparedPair(input, seed) ?? []);
  const adjusted = holm(pairs.map(({ p }) => p));
  return pairs.map((pair, index) => {
    const { value } = pair.difference;
    const interval = pair.difference.interval!;
    const p = adjusted[index]!;
    const seen = { difference: { value, interval }, pHolm: p };
    return {
      ...{ ...pair, p_holm: p, differs: p <= ALPHA && (interval.low > 0 || interval.high < 0) },
      decision: smallestEffect === null ? null : decide(seen, smallestEffect),
    };
  });
}

function comparedPair(
  { a, b, outcomes, columns }: PairInput,
  seed: number,
): Omit<ComparedPair, 'p_holm' | 'differs' | 'decision'> | null {
  const [ofA, ofB] = outcomes.map((own) => own.filter(({ graded }) => graded > 0));
  const others = new Map(ofB!.map((outcome) => [outcome.taskId, outcome]));
  const tasks = ofA!.flatMap((one): [TaskOutcome, TaskOutcome][] => {
    const other = others.get(one.taskId);
    return other === undefined ? [] : [[one, other]];
  });
  const bins = binned(tasks.map(([one, other]) => ({ a: shareOf(one), b: shareOf(other) })));
  const difference = pairedDifference(bins, seed);
  if (difference === null) return null;
  const counts = flips(bins);
  const mean = (side: 0 | 1): number => tasks.reduce((sum, pair) => sum + shareOf(pair[side]), 0) / tasks.length;
  return {
    ...{ a, b, tasks: tasks.length, only_a: ofA!.length - tasks.length, only_b: ofB!.length - tasks.length },
    ...{ score_a: mean(0), score_b: mean(1), difference, ...counts, p: mcnemarP(counts) },
    chi_squared: mcnemarChiSquared(counts),
    tasks_needed: tasksNeeded(bins),
    columns: columns.flatMap((column) => comparedColumn(column, tasks, seed)),
    flips: tasks.flatMap(flipOf).sort(byChange),
  };
}

function comparedColumn(
  column: ResultColumn,
  tasks: readonly [TaskOutcome, TaskOutcome][],
  seed: number,
): ComparedColumn[] {
  const values = tasks.flatMap(([one, other]) => {
    const [a, b] = [valueOf(column, one), valueOf(column, other)];
    return a === null || b === null ? [] : [{ a, b }];
  });
  const difference = pairedDifference(binned(values), seed);
  if (difference === null) return [];
  const mean = (side: 'a' | 'b'): number => values.reduce((sum, each) => sum + each[side], 0) / values.length;
  return [{ id: column.id, title: column.title, tasks: values.length, a: mean('a'), b: mean('b'), difference }];
}

/** The mean of a task's repeats; null where none counts. */
function valueOf({ metric, absent }: ResultColumn, { graded, metrics }: TaskOutcome): number | null {
  const { sum, trials } = metrics[metric] ?? { sum: 0, trials: 0 };
  const counted = absent === 'zero' ? graded : trials;
  return counted === 0 ? null : sum / counted;
}

const shareOf = ({ graded, passed }: TaskOutcome): number => passed / graded;

/** Tasks by their shares passed, in an order that does not depend on the store, for the draws. */
export function binned(tasks: readonly Pick<PairBin, 'a' | 'b'>[]): PairBin[] {
  const bins = new Map<string, PairBin>();
  for (const { a, b } of tasks) {
    const key = `${a} ${b}`;
    bins.set(key, { a, b, tasks: (bins.get(key)?.tasks ?? 0) + 1 });
  }
  return [...bins.values()].sort((one, other) => one.a - other.a || one.b - other.b);
}

function flipOf([a, b]: [TaskOutcome, TaskOutcome]): Flip[] {
  if (shareOf(a) === shareOf(b)) return [];
  const change = shareOf(b) > shareOf(a) ? 'gained' : 'lost';
  const result = ({ graded, passed, passedTrial, failedTrial }: TaskOutcome, isBetter: boolean): TaskResult => ({
    ...{ graded, passed },
    trial: (isBetter ? (passedTrial ?? failedTrial) : (failedTrial ?? passedTrial)) ?? '',
  });
  return [
    { task: a.taskId, group: a.group, change, a: result(a, change === 'lost'), b: result(b, change === 'gained') },
  ];
}

function byChange(one: Flip, other: Flip): number {
  const size = ({ a, b }: Flip): number => Math.abs(b.passed / b.graded - a.passed / a.graded);
  const isLost = ({ change }: Flip): number => (change === 'lost' ? 0 : 1);
  return isLost(one) - isLost(other) || size(other) - size(one) || (one.task < other.task ? -1 : 1);
}
