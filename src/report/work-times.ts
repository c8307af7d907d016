import type { TrialRow } from '../ports/records.js';

type Timed = Pick<TrialRow, 'regraded' | 'startedAt' | 'endedAt'>;

/** When the run that did the work of a trial began and ended: a verdict that was given anew changes nothing of that. */
export const workTimes = ({ regraded, startedAt, endedAt }: Timed): Pick<TrialRow, 'startedAt' | 'endedAt'> =>
  regraded?.made ?? { startedAt, endedAt };

/** What a trial took; null where it has not ended. */
export function workSeconds(trial: Timed): number | null {
  const { startedAt, endedAt } = workTimes(trial);
  return startedAt === null || endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}
