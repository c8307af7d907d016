import { jsonText } from '../../domain/text/json-text.js';
import type { TrialRow } from '../../ports/records.js';
import { trialReport } from '../full-report.js';
import { throughFile } from '../report-files.js';
import type { ReportSubject } from '../report-subject.js';
import { csvHead, csvRows } from './csv-rows.js';
import { JUNIT_TAIL, junitCases, junitHead } from './junit-cases.js';

/** Formats of all trials as one document. */
export const TRIAL_FORMATS = ['jsonl', 'csv', 'junit'] as const;
export type TrialFormat = (typeof TRIAL_FORMATS)[number];

/**
 * All trials in plan order, page by page: `jsonl` one trial a line as in `trial_rows` of the report, `csv` the same as a
 * table, `junit` a test case each.
 */
export async function writeTrials(
  subject: ReportSubject,
  format: TrialFormat,
  write: (piece: string) => Promise<void>,
): Promise<void> {
  const metrics = format === 'csv' ? await metricNames(subject) : [];
  const pieces: Record<TrialFormat, { head: () => string; rows: (page: readonly TrialRow[]) => string; tail: string }> =
    {
      jsonl: {
        head: () => '',
        rows: (page) => page.map((trial) => `${jsonText(trialReport(trial))}\n`).join(''),
        tail: '',
      },
      csv: { head: () => csvHead(metrics), rows: (page) => csvRows(page, metrics), tail: '' },
      junit: { head: () => junitHead(subject), rows: junitCases, tail: JUNIT_TAIL },
    };
  const { head, rows, tail } = pieces[format];
  await write(head());
  await subject.trialPages((page) => write(rows(page)));
  await write(tail);
}

/** The same piece by piece, for a reader who may be slow. */
export function exportedTrials(subject: ReportSubject, format: TrialFormat): AsyncGenerator<string> {
  return throughFile((file) => writeTrials(subject, format, (piece) => file.appendFile(piece)));
}

/** Columns have to be known before the first row: trials are read once for their names. */
async function metricNames({ trialPages }: Pick<ReportSubject, 'trialPages'>): Promise<string[]> {
  const names = new Set<string>();
  await trialPages((page) => page.forEach(({ metrics }) => Object.keys(metrics).forEach((name) => names.add(name))));
  return [...names].sort();
}
