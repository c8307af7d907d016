import type { Outcome } from '../contract/verdict.js';
import type { TrialTally } from '../ports/records.js';

/** How many trials the tallies stand for, and how many of them ended how. */
export function outcomeCounts(tallies: readonly TrialTally[]): Record<Outcome | 'trials', number> {
  const counts = { trials: 0, passed: 0, failed: 0, errored: 0, not_run: 0 };
  for (const { outcome, trials } of tallies) {
    counts.trials += trials;
    if (outcome !== null) counts[outcome] += trials;
  }
  return counts;
}
