import { stringify } from 'csv-stringify/sync';
import { plainLine } from '../../domain/text/plain-text.js';
import type { TrialRow } from '../../ports/records.js';
import { trialReport, type TrialReport } from '../full-report.js';

const COLUMNS = [
  ...['id', 'task', 'system', 'repeat', 'group', 'category', 'state', 'outcome', 'blame', 'reason', 'message'],
  ...['run', 'runs', 'started_at', 'ended_at', 'usd', 'tokens', 'reused_calls'],
] as const satisfies readonly (keyof TrialReport)[];

/** The header line of the trials as CSV (RFC 4180, line feeds); metrics are columns of their own after the others. */
export function csvHead(metrics: readonly string[]): string {
  return stringify([[...COLUMNS, ...metrics.map((metric) => `metric_${metric}`)]]);
}

/**
 * Trials as lines of CSV. What a spreadsheet would take for a formula begins with an apostrophe: reasons and messages are
 * words of models and candidates. Line ends and control characters in them are spaces.
 */
export function csvRows(trials: readonly TrialRow[], metrics: readonly string[]): string {
  const rows = trials.map((trial) => {
    const row = trialReport(trial);
    const cells = COLUMNS.map((column) => (column === 'message' ? plainLine(row.message ?? '', 2_000) : row[column]));
    return [...cells, ...metrics.map((metric) => row.metrics[metric] ?? null)];
  });
  return stringify(rows, { escape_formulas: true });
}
