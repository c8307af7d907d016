/** What the metrics are computed from: of each trial its outcome and the metrics `score` gave it. */
export interface ScoredTrial {
  outcome: string | null;
  metrics: Record<string, number | null>;
}

/** Share of graded trials (passed + failed) whose metric is 1; what was skipped counts as 0, nothing graded gives null. */
export function shareOf(metric: string, trials: readonly ScoredTrial[]): number | null {
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  if (graded.length === 0) return null;
  return graded.filter(({ metrics }) => metrics[metric] === 1).length / graded.length;
}
