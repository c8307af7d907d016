import { failureAnalysis, type FailureAnalysis } from '../../report/failures/failure-analysis.js';
import { fullReport, type FullReport } from '../../report/full-report.js';
import { currentReport, writeReport } from '../../report/report-files.js';
import type { ReportSubject, WrittenReport } from '../../report/report-subject.js';
import { campaignSubject } from '../campaigns/campaign-subject.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';

/** A campaign with its report on this machine. */
export type ReportedCampaign = ReportSubject & { report: WrittenReport };

/** The same, with the analysis of its failed trials. */
type AnalysedCampaign = ReportedCampaign & { analysis: FailureAnalysis };

/** Results and provenance, as in `report.json`, its trials left out: there may be 100,000. */
export async function campaignReport(
  context: Context,
  connection: Connection,
  id: string,
): Promise<Omit<FullReport, 'trial_rows'>> {
  const subject = await campaignSubject(context, connection, id);
  const analysis = await failureAnalysis(await subject.failures(), subject.trialPages);
  const { trial_rows: rows, ...report } = fullReport(subject, await subject.details(), analysis);
  void rows; // read by page, where a report is written
  return report;
}

/** Writes `report.html`, `report.md` and `report.json` anew. */
export async function writeCampaignReport(
  context: Context,
  connection: Connection,
  id: string,
): Promise<AnalysedCampaign> {
  const subject = await campaignSubject(context, connection, id);
  const { report, failures } = await writeReport(subject, context.environment().stateDir);
  return { ...subject, report, analysis: failures };
}

/** The same unless the last one shows the record as it is. */
export async function reportedCampaign(context: Context, subject: ReportSubject): Promise<ReportedCampaign> {
  return { ...subject, report: await currentReport(subject, context.environment().stateDir) };
}
