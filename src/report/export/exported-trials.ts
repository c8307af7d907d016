import { jsonText } from '../../domain/text/json-text.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { TrialRow } from '../../ports/records.js';
import { trialReport } from '../full-report.js';
import { throughFile } from '../report-files.js';
import type { ReportSubject } from '../report-subject.js';
import { csvHead, csvRows } from './csv-rows.js';
import { JUNIT_TAIL, junitCases, junitHead } from './junit-cases.js';

/** Formats of what is exported as one document: all trials, or findings. */
export const EXPORT_FORMATS = ['jsonl', 'csv', 'junit', 'findings'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * All trials in plan order, page by page: `jsonl` one trial a line as in `trial_rows` of the report, `csv` the same as a
 * table, `junit` a test case each. Of `findings` one a line, where what was found is not what was published.
 * @throws UserError for findings of a suite that has none
 */
export async function writeExport(
  subject: ReportSubject,
  format: ExportFormat,
  write: (piece: string) => Promise<void>,
): Promise<void> {
  if (format === 'findings') return writeFindings(subject, write);
  const metrics = format === 'csv' ? await metricNames(subject) : [];
  const pieces: Record<
    Exclude<ExportFormat, 'findings'>,
    { head: () => string; rows: (page: readonly TrialRow[]) => string; tail: string }
  > = {
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
export function exportedTrials(subject: ReportSubject, format: ExportFormat): AsyncGenerator<string> {
  return throughFile((file) => writeExport(subject, format, (piece) => file.appendFile(piece)));
}

async function writeFindings(subject: ReportSubject, write: (piece: string) => Promise<void>): Promise<void> {
  const findings = await subject.findings();
  if (findings === null)
    throw new UserError('usage', {
      message: `campaign ${subject.campaign.id}: the suite ${subject.campaign.suite} has no findings`,
      expected: 'a campaign of a suite that compares with what was published',
      fix: `durabench export ${subject.campaign.id} --format jsonl`,
    });
  for (const finding of findings) await write(`${jsonText({ campaign: subject.campaign.id, ...finding })}\n`);
}

/** Columns have to be known before the first row: trials are read once for their names. */
async function metricNames({ trialPages }: Pick<ReportSubject, 'trialPages'>): Promise<string[]> {
  const names = new Set<string>();
  await trialPages((page) => page.forEach(({ metrics }) => Object.keys(metrics).forEach((name) => names.add(name))));
  return [...names].sort();
}
