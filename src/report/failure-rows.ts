import type { TrialTotals } from '../ports/records.js';

/** How many trials of a system ended for one reason without passing, in the words of `report.json`. */
export interface FailureRow {
  system: string;
  outcome: 'failed' | 'errored' | 'not_run';
  blame: string | null;
  /** Dotted reason or failure type; `unknown` where the record has none. */
  reason: string;
  trials: number;
  /** Up to three trial ids, and the first message there is. */
  examples: string[];
  message: string | null;
}

/** Trials that did not pass, by system and reason; the most frequent reason of a system first. */
export function failureRows({ tallies, failures }: TrialTotals): FailureRow[] {
  const systems = [...new Set(tallies.map(({ systemId }) => systemId))];
  return failures
    .map(({ systemId: system, outcome, ...rest }): FailureRow => ({ system, outcome, ...rest }))
    .sort((one, other) => systems.indexOf(one.system) - systems.indexOf(other.system) || other.trials - one.trials);
}
