import { clusteredShare, FEWEST_CLUSTERS, type ClusteredFigure } from '../../domain/statistics/clusters.js';
import type { Figure, IntervalMethod } from '../../domain/statistics/figure.js';
import { passAtK, passHatK, toldK } from '../../domain/statistics/repeats.js';
import type { Interval } from '../../domain/statistics/statistics.js';
import { taskBootstrap, wilsonFigure } from '../../domain/statistics/task-bootstrap.js';
import type { TaskTally, TrialTally } from '../../ports/records.js';
import { counted } from '../text/number-text.js';

/** What repeats of tasks say, for one k. */
interface RepeatFigures {
  k: number;
  /** The chance that one of k repeats passes, in the mean over tasks with as many graded; null where none has. */
  pass_at_k: Figure | null;
  /** The chance that all of k pass. */
  pass_hat_k: Figure | null;
}

/** A score, and how sure it is. */
export interface ScoreFigures {
  interval: Interval | null;
  /** How the interval was computed; null where there is none. */
  method: IntervalMethod | null;
  /** Of campaigns with repeats. */
  repeats: RepeatFigures[];
  /** The score with groups as clusters; null for a part of a system's groups, and where `unclustered` says why. */
  clustered: (Omit<ClusteredFigure, 'standardError'> & { standard_error: number }) | null;
  unclustered: string | null;
}

/** @param tasks of campaigns with repeats, each system's and group's of the row */
export function scoreFigures(input: {
  tallies: readonly TrialTally[];
  tasks: readonly TaskTally[];
  repeats: number;
  seed: number;
  /** Whether these are all groups of the system. */
  isWhole: boolean;
}): ScoreFigures {
  const { repeats, seed } = input;
  const score = repeats > 1 ? null : scoreOnce(input.tallies);
  const [own, rows] = repeats > 1 ? scoreOfRepeats(binned(input.tasks), repeats, seed) : [score, []];
  return { interval: own?.interval ?? null, method: own?.method ?? null, repeats: rows, ...clusters(input) };
}

function scoreOnce(tallies: readonly TrialTally[]): Figure | null {
  const { graded, passed } = gradesOf(tallies);
  return graded === 0 ? null : wilsonFigure(passed / graded, graded);
}

type Bin = Pick<TaskTally, 'graded' | 'passed' | 'tasks'>;

/** Everything of the same draws. */
function scoreOfRepeats(bins: readonly Bin[], repeats: number, seed: number): [Figure | null, RepeatFigures[]] {
  const of =
    (estimate: typeof passAtK, k: number) =>
    (bin: Bin): { top: number; bottom: number } => {
      const value = estimate(bin, k);
      return { top: value ?? 0, bottom: value === null ? 0 : 1 };
    };
  const ks = toldK(repeats);
  const shares = ks.flatMap((k): [string, ReturnType<typeof of>][] => [
    [`at ${k}`, of(passAtK, k)],
    [`hat ${k}`, of(passHatK, k)],
  ]);
  const figures = taskBootstrap<Bin, string>(
    bins,
    { score: ({ passed, graded }) => ({ top: passed, bottom: graded }), ...Object.fromEntries(shares) },
    seed,
  );
  const rows = ks.map((k) => ({
    k,
    pass_at_k: figures[`at ${k}`] ?? null,
    pass_hat_k: figures[`hat ${k}`] ?? null,
  }));
  return [figures['score'] ?? null, rows];
}

/** Groups apart do not matter; in an order that does not depend on the store, for the draws. */
function binned(tasks: readonly TaskTally[]): Bin[] {
  const bins = new Map<string, Bin>();
  for (const { graded, passed, tasks: count } of tasks) {
    const key = `${graded}/${passed}`;
    bins.set(key, { graded, passed, tasks: (bins.get(key)?.tasks ?? 0) + count });
  }
  return [...bins.values()].sort((one, other) => one.graded - other.graded || one.passed - other.passed);
}

function clusters({
  tallies,
  isWhole,
}: Pick<Parameters<typeof scoreFigures>[0], 'tallies' | 'isWhole'>): Pick<ScoreFigures, 'clustered' | 'unclustered'> {
  if (!isWhole) return { clustered: null, unclustered: null };
  const names = [...new Set(tallies.map(({ group }) => group))];
  const groups = names.map((name) => gradesOf(tallies.filter(({ group }) => group === name)));
  const clustered = clusteredShare(groups);
  if (clustered === null) {
    const found = groups.filter(({ graded }) => graded > 0).length;
    const why = `${counted(found, 'group')} with graded trials; a standard error by group needs ${FEWEST_CLUSTERS} (Cameron and Miller 2015)`;
    return { clustered: null, unclustered: why };
  }
  const { standardError, ...figure } = clustered;
  return { clustered: { ...figure, standard_error: standardError }, unclustered: null };
}

function gradesOf(tallies: readonly TrialTally[]): { graded: number; passed: number } {
  const sum = (...outcomes: (string | null)[]): number =>
    tallies.reduce((total, { outcome, trials }) => total + (outcomes.includes(outcome) ? trials : 0), 0);
  return { graded: sum('passed', 'failed'), passed: sum('passed') };
}
