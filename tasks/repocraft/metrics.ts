import type { TrialRow } from '../../src/ports/records.js';
import type { SuiteRates } from '../../src/ports/suite.js';

/** RepoCraft's rates for a set of trials. Every rate is a share of the graded trials (passed + failed), null when none is. */
export interface RepocraftMetrics {
  graded: number;
  /** Share of tasks with a match above the floor, over the trials that were searched; null where the oracle skipped the search. */
  localizationRate: number | null;
  /** Share of tasks accepted by a strict vote (majority YES). */
  votingRate: number | null;
  /** Share of tasks with a majority of YES or PARTIAL on some match. */
  votingRateLenient: number | null;
  /** Share of tasks passed; passed ⊆ voted. Micro: every task counts once. */
  passRate: number | null;
  /** Mean of the projects' pass rates. */
  passRateMacro: number | null;
  /** Share of categories with at least one passed task. */
  coveragePassed: number | null;
  /** Share of categories with at least one accepted task. */
  coverageVoted: number | null;
}

/** Computes the metrics of repocraft.md §5 that need nothing but trial rows. */
export function repocraftMetrics(trials: readonly TrialRow[]): RepocraftMetrics {
  const graded = trials.filter((trial) => trial.outcome === 'passed' || trial.outcome === 'failed');
  const searched = graded.filter((trial) => trial.metrics.localized != null);
  return {
    graded: graded.length,
    localizationRate: share(searched, (trial) => trial.metrics.localized === 1),
    votingRate: share(graded, isVoted),
    votingRateLenient: share(graded, (trial) => trial.metrics.voted_lenient === 1),
    passRate: share(graded, isPassed),
    passRateMacro: mean(groups(graded, (trial) => trial.group).map((group) => share(group, isPassed) ?? 0)),
    coveragePassed: coverage(graded, isPassed),
    coverageVoted: coverage(graded, isVoted),
  };
}

/** The two rates every report shows. */
export function repocraftRates(trials: readonly TrialRow[]): SuiteRates {
  const { votingRate, localizationRate } = repocraftMetrics(trials);
  return { vote_rate: votingRate, localized_rate: localizationRate };
}

const isPassed = (trial: TrialRow): boolean => trial.outcome === 'passed';
const isVoted = (trial: TrialRow): boolean => trial.metrics.voted === 1;

function share(trials: readonly TrialRow[], has: (trial: TrialRow) => boolean): number | null {
  return trials.length === 0 ? null : trials.filter(has).length / trials.length;
}

/** Over the categories of the graded trials, each within its project. */
function coverage(trials: readonly TrialRow[], has: (trial: TrialRow) => boolean): number | null {
  const categories = groups(trials, (trial) => `${trial.group}/${trial.category ?? ''}`);
  return categories.length === 0 ? null : categories.filter((group) => group.some(has)).length / categories.length;
}

function groups(trials: readonly TrialRow[], key: (trial: TrialRow) => string): TrialRow[][] {
  const found = new Map<string, TrialRow[]>();
  for (const trial of trials) found.set(key(trial), [...(found.get(key(trial)) ?? []), trial]);
  return [...found.values()];
}

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
