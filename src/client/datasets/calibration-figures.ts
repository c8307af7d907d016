import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeStateFolder } from '../../config/state-folder.js';
import { UserError } from '../../domain/failure/user-error.js';
import { jsonText } from '../../domain/text/json-text.js';
import type { DocumentBody } from '../../report/documents/documents.js';
import { versioned } from '../../report/documents/versioned.js';
import { markdownTable } from '../../report/markdown-report.js';
import type { SuiteCalibration } from '../../suite/calibration.js';
import type { SuiteReport } from '../../suite/report.js';
import { campaignSubject } from '../campaigns/campaign-subject.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import { reportedCampaign } from '../inspect/campaign-report.js';
import { checkSandbox } from '../machine/ready-for-run.js';
import type { CheckedCampaign } from '../plans/read-campaign.js';
import { measureWithoutExecution } from './measure-without-execution.js';

/** How often each stage of a suite's graders was right. */
export interface CalibrationFigures {
  /** For people. */
  tables: SuiteReport['tables'];
  /** What `calibration.json` holds. */
  metrics: DocumentBody<'calibration'>;
  /** Of `calibration.md`, with `calibration.json` beside it. */
  page: string;
}

/**
 * The figures of a campaign on labelled candidates, written beside its report.
 * @throws UserError for another campaign
 */
export async function campaignFigures(
  context: Context,
  connection: Connection,
  { calibration, id }: { calibration: SuiteCalibration; id: string },
): Promise<CalibrationFigures> {
  const subject = await campaignSubject(context, connection, id);
  const report = await reportOf(connection, { calibration, id }, subject.campaign.spec);
  const { lock, dataset } = subject.campaign;
  const provenance = { campaign: id, dataset, seed: lock.seed, lock: lock.sha256 };
  const folder = dirname((await reportedCampaign(context, subject)).report.path);
  const about = `${dataset}, seed ${lock.seed}, campaign lock ${lock.sha256.slice(0, 16)}.`;
  return writeFigures(report, { ...provenance, calibration: report.metrics }, { about, folder });
}

/** The figures of such a campaign without running it, written into `.durabench/calibrate`. No server, no test. */
export async function figuresWithoutExecution(
  context: Context,
  calibration: SuiteCalibration,
  campaign: CheckedCampaign,
): Promise<CalibrationFigures> {
  const { name, seed } = campaign.spec;
  await checkSandbox(context, []);
  const { report, label } = await measureWithoutExecution(context, calibration, campaign);
  const folder = makeStateFolder(context.environment().stateDir, 'calibrate', name);
  const metrics = { campaign: null, dataset: label, seed, calibration: report.metrics };
  return writeFigures(report, metrics, { about: `${label}, seed ${seed}; nothing was executed.`, folder });
}

async function writeFigures(
  report: SuiteReport,
  metrics: DocumentBody<'calibration'>,
  { about, folder }: { /** A sentence on what was measured. */ about: string; folder: string },
): Promise<CalibrationFigures> {
  const page = join(folder, 'calibration.md');
  const tables = report.tables.filter(({ rows }) => rows.length > 0);
  await writeFile(page, `# Calibration\n\n${about}\n\n${tables.map(markdownTable).join('\n')}`);
  await writeFile(join(folder, 'calibration.json'), `${jsonText(versioned(metrics), 2)}\n`);
  return { tables, metrics, page };
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
