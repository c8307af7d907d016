import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SuiteCalibration } from '../../../suite/calibration.js';
import type { SuiteReport } from '../../../suite/report.js';
import { jsonText } from '../../../domain/text/json-text.js';
import { markdownTable } from '../../../report/markdown-report.js';
import { versioned, type DocumentBody } from '../../../report/documents/documents.js';
import { currentReport } from '../../../report/report-files.js';
import { detailTable } from '../../../report/result-table.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { Session } from '../../session.js';
import type { Connection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** Prints how often each stage was right in a campaign, and writes `calibration.md` and `calibration.json` beside its report. */
export async function showCalibration(
  session: Session,
  place: Connection,
  asked: { calibration: SuiteCalibration; id: string },
): Promise<void> {
  const subject = await campaignSubject(session, place, asked.id);
  const report = await reportOf(place, asked, subject.campaign.spec);
  const { lock, dataset } = subject.campaign;
  const metrics = {
    campaign: asked.id,
    dataset,
    seed: lock.seed,
    lock: lock.sha256,
    calibration: report.metrics,
  };
  const folder = dirname((await currentReport(subject, session.environment().stateDir)).path);
  const about = `${dataset}, seed ${lock.seed}, campaign lock ${lock.sha256.slice(0, 16)}.`;
  await leavePage(session, { report, metrics, about, folder });
}

/** Prints the tables (or the data, under --json) and writes both into the folder. `about`: a sentence on what was measured. */
export async function leavePage(
  { output }: Session,
  {
    report,
    metrics,
    about,
    folder,
  }: { report: SuiteReport; metrics: DocumentBody<'calibration'>; about: string; folder: string },
): Promise<void> {
  const page = join(folder, 'calibration.md');
  await writeFile(page, markdown(report, about));
  await writeFile(join(folder, 'calibration.json'), `${jsonText(versioned(metrics), 2)}\n`);
  if (output.flags.json) output.json('calibration', metrics);
  else for (const table of report.tables) if (table.rows.length > 0) output.data(`\n${detailTable(table)}`);
  output.say(`calibration  ${page}`);
}

async function reportOf(
  { records, blobs }: Connection,
  { calibration, id }: { calibration: SuiteCalibration; id: string },
  spec: Parameters<SuiteCalibration['report']>[0]['spec'],
): Promise<SuiteReport> {
  const rows = await records.trials(id);
  const trials = [];
  for (const trial of rows) trials.push({ trial, steps: (await records.trial(trial.id)).steps });
  const generations = [];
  for (const row of await records.generations(id)) generations.push(await records.generation(row.id));
  const report = await calibration.report({ spec, trials, generations, blobs });
  if (report.tables.some(({ rows: lines }) => lines.length > 0)) return report;
  throw new UserError('usage', {
    message: `campaign ${id} has no labelled candidates`,
    expected: 'a campaign that `durabench calibrate` started',
    fix: 'durabench calibrate SUITE',
  });
}

function markdown({ tables }: SuiteReport, subject: string): string {
  const parts = tables.filter(({ rows }) => rows.length > 0).map(markdownTable);
  return `# Calibration\n\n${subject}\n\n${parts.join('\n')}`;
}
