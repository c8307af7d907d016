import type { TrialRow } from '../../src/ports/records.js';
import type { SuiteRates } from '../../src/ports/suite.js';

/** RepoCraft's rates for a set of trials. Every rate is a share of the graded trials (passed + failed), null when none is. */
export type RepocraftMetrics = {
  graded: number;
  /** Share of tasks with a match above the floor, over the trials that were searched; null where the oracle skipped the search. */
  localization_rate: number | null;
  /** Share of tasks accepted by a strict vote (majority YES). */
  voting_rate: number | null;
  /** Share of tasks with a majority of YES or PARTIAL on some match. */
  voting_rate_lenient: number | null;
  /** Share of tasks passed; passed ⊆ voted. Micro: every task counts once. */
  pass_rate: number | null;
  /** Mean of the projects' pass rates. */
  pass_rate_macro: number | null;
  /** Share of categories with at least one passed task. */
  coverage_passed: number | null;
  /** Share of categories with at least one accepted task. */
  coverage_voted: number | null;
};

/** Computes the metrics that need nothing but trial rows; `report.json` holds them for every system. */
export function repocraftMetrics(trials: readonly TrialRow[]): RepocraftMetrics {
  const graded = trials.filter((trial) => trial.outcome === 'passed' || trial.outcome === 'failed');
  const searched = graded.filter((trial) => trial.metrics.localized != null);
  return {
    graded: graded.length,
    localization_rate: share(searched, (trial) => trial.metrics.localized === 1),
    voting_rate: share(graded, isVoted),
    voting_rate_lenient: share(graded, (trial) => trial.metrics.voted_lenient === 1),
    pass_rate: share(graded, isPassed),
    pass_rate_macro: mean(groups(graded, (trial) => trial.group).map((group) => share(group, isPassed) ?? 0)),
    coverage_passed: coverage(graded, isPassed),
    coverage_voted: coverage(graded, isVoted),
  };
}

/** The two rates every report shows. */
export function repocraftRates(trials: readonly TrialRow[]): SuiteRates {
  const { voting_rate: vote_rate, localization_rate: localized_rate } = repocraftMetrics(trials);
  return { vote_rate, localized_rate };
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
