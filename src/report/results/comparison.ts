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

/** One system of one campaign. */
export interface ComparedSystem {
  campaign: string;
  system: string;
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

/** What is compared, and by what each system did on its tasks. */
export interface PairInput {
  a: ComparedSystem;
  b: ComparedSystem;
  outcomes: [a: readonly TaskOutcome[], b: readonly TaskOutcome[]];
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
  { a, b, outcomes }: PairInput,
  seed: number,
): Omit<ComparedPair, 'p_holm' | 'differs' | 'decision'> | null {
  const [ofA, ofB] = outcomes.map((own) => own.filter(({ graded }) => graded > 0));
  const others = new Map(ofB!.map((outcome) => [outcome.taskId, outcome]));
  const tasks = ofA!.flatMap((one): [TaskOutcome, TaskOutcome][] => {
    const other = others.get(one.taskId);
    return other === undefined ? [] : [[one, other]];
  });
  const bins = binned(tasks);
  const difference = pairedDifference(bins, seed);
  if (difference === null) return null;
  const counts = flips(bins);
  const mean = (side: 0 | 1): number => tasks.reduce((sum, pair) => sum + shareOf(pair[side]), 0) / tasks.length;
  return {
    ...{ a, b, tasks: tasks.length, only_a: ofA!.length - tasks.length, only_b: ofB!.length - tasks.length },
    ...{ score_a: mean(0), score_b: mean(1), difference, ...counts, p: mcnemarP(counts) },
    chi_squared: mcnemarChiSquared(counts),
    tasks_needed: tasksNeeded(bins),
    flips: tasks.flatMap(flipOf).sort(byChange),
  };
}

const shareOf = ({ graded, passed }: TaskOutcome): number => passed / graded;

/** In an order that does not depend on the store, for the draws. */
function binned(tasks: readonly [TaskOutcome, TaskOutcome][]): PairBin[] {
  const bins = new Map<string, PairBin>();
  for (const [one, other] of tasks) {
    const [a, b] = [shareOf(one), shareOf(other)];
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
