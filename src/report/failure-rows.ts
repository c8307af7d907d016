import type { FailureTally, TrialTotals } from '../ports/records.js';

/** How many trials of a system ended for one reason without passing, in the words of `report.json`. */
export interface FailureRow extends Omit<FailureTally, 'systemId'> {
  system: string;
}

/** Trials that did not pass, by system and reason; the most frequent reason of a system first. */
export function failureRows({ tallies, failures }: TrialTotals): FailureRow[] {
  const systems = [...new Set(tallies.map(({ systemId }) => systemId))];
  return failures
    .map(({ systemId: system, outcome, ...rest }): FailureRow => ({ system, outcome, ...rest }))
    .sort((one, other) => systems.indexOf(one.system) - systems.indexOf(other.system) || other.trials - one.trials);
}
