import type { TrialRow } from '../ports/records.js';

/** What became of a system's trials that were graded and then run again. None of it is in a score. */
export interface AgainRow {
  system: string;
  trials: number;
  passed: number;
  failed: number;
  /** Errored, not run, or still to end. */
  ungraded: number;
}

/** Trials run again after they were graded, by system in the order of the trials. */
export function againRows(trials: readonly TrialRow[]): AgainRow[] {
  const rows = new Map<string, AgainRow>();
  for (const { systemId, again } of trials) {
    if (again === null) continue;
    const row = rows.get(systemId) ?? { system: systemId, trials: 0, passed: 0, failed: 0, ungraded: 0 };
    row.trials += 1;
    row[again.outcome === 'passed' || again.outcome === 'failed' ? again.outcome : 'ungraded'] += 1;
    rows.set(systemId, row);
  }
  return [...rows.values()];
}

/** A verdict that a regrade changed. */
export interface ChangedVerdict {
  trial: string;
  before: string;
  now: string;
}

/** What regrading changed, in the order of the trials. */
export function changedVerdicts(trials: readonly TrialRow[]): ChangedVerdict[] {
  return trials.flatMap(({ id, regraded, outcome, reason }) => {
    if (regraded === null || (regraded.outcome === outcome && regraded.reason === reason)) return [];
    return [{ trial: id, before: verdictText(regraded), now: verdictText({ outcome, reason }) }];
  });
}

function verdictText({ outcome, reason }: { outcome: string | null; reason: string | null }): string {
  return [outcome ?? 'open', reason].filter(Boolean).join(': ');
}
