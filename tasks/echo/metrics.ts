/** What the rates are computed from: how many trials have this outcome and these metrics from `score`. */
export interface ScoredTrials {
  outcome: string | null;
  metrics: { localized: number | null; voted: number | null };
  trials: number;
}

/** Share of graded trials (passed + failed) whose metric is 1; what was skipped counts as 0, nothing graded gives null. */
export function shareOf(metric: keyof ScoredTrials['metrics'], trials: readonly ScoredTrials[]): number | null {
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const count = (some: readonly ScoredTrials[]): number => some.reduce((sum, each) => sum + each.trials, 0);
  return graded.length === 0 ? null : count(graded.filter(({ metrics }) => metrics[metric] === 1)) / count(graded);
}
