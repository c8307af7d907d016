import { fullReport, type FullReport } from '../../report/full-report.js';
import { currentReport, writeReport } from '../../report/report-files.js';
import type { ReportSubject, WrittenReport } from '../../report/report-subject.js';
import { campaignSubject } from '../campaigns/campaign-subject.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';

/** A campaign with its report on this machine. */
export type ReportedCampaign = ReportSubject & { report: WrittenReport };

/** Results and provenance, as in `report.json`, its trials left out: there may be 100,000. */
export async function campaignReport(
  context: Context,
  connection: Connection,
  id: string,
): Promise<Omit<FullReport, 'trial_rows'>> {
  const subject = await campaignSubject(context, connection, id);
  const { trial_rows: rows, ...report } = fullReport(subject, await subject.details());
  void rows; // read by page, where a report is written
  return report;
}

/** Writes `report.html`, `report.md` and `report.json` anew. */
export async function writeCampaignReport(
  context: Context,
  connection: Connection,
  id: string,
): Promise<ReportedCampaign> {
  const subject = await campaignSubject(context, connection, id);
  return { ...subject, report: await writeReport(subject, context.environment().stateDir) };
}

/** The same unless the last one shows the record as it is. */
export async function reportedCampaign(context: Context, subject: ReportSubject): Promise<ReportedCampaign> {
  return { ...subject, report: await currentReport(subject, context.environment().stateDir) };
}
