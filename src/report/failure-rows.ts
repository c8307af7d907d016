import type { TrialRow } from '../ports/records.js';

/** How many trials of a system ended for one reason without passing. */
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

const MAX_EXAMPLES = 3;

/** Trials that did not pass, by system and reason; the most frequent reason of a system first. */
export function failureRows(trials: readonly TrialRow[]): FailureRow[] {
  const rows = new Map<string, FailureRow>();
  for (const { outcome, ...trial } of trials) {
    if (outcome === null || outcome === 'passed') continue;
    const reason = trial.reason ?? 'unknown';
    const key = JSON.stringify([trial.systemId, outcome, trial.blame, reason]);
    const row = rows.get(key) ?? {
      system: trial.systemId,
      outcome,
      blame: trial.blame,
      reason,
      trials: 0,
      examples: [],
      message: null,
    };
    row.trials += 1;
    if (row.examples.length < MAX_EXAMPLES) row.examples.push(trial.id);
    row.message ??= trial.message;
    rows.set(key, row);
  }
  const systems = [...new Set(trials.map((trial) => trial.systemId))];
  return [...rows.values()].sort(
    (one, other) => systems.indexOf(one.system) - systems.indexOf(other.system) || other.trials - one.trials,
  );
}
