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
export function writeCampaignReport(context: Context, connection: Connection, id: string): Promise<AnalysedCampaign> {
  const before = writing.get(connection) ?? Promise.resolve();
  const report = before.then(() => writtenReport(context, connection, id));
  writing.set(
    connection,
    report.catch(() => undefined),
  );
  return report;
}

/** One after the other: each holds one of the few sessions of its connection while it waits for others. */
const writing = new WeakMap<Connection, Promise<unknown>>();

async function writtenReport(context: Context, connection: Connection, id: string): Promise<AnalysedCampaign> {
  // Postgres puts the trials in order while the rest is read.
  const ahead = readAhead((visit) => connection.records.trialPages(id, visit));
  try {
    const subject = await campaignSubject(context, connection, id);
    const reported = { ...subject, trialPages: ahead.trialPages };
    const { report, failures } = await writeReport(reported, context.environment().stateDir);
    return { ...subject, report, analysis: failures };
  } finally {
    ahead.end();
  }
}

/** Pages that are read before anybody looks at them, which may be done once. */
function readAhead(read: ReportSubject['trialPages']): { trialPages: ReportSubject['trialPages']; end(): void } {
  type Visit = Parameters<ReportSubject['trialPages']>[0];
  let begin: (visit: Visit) => void = () => undefined;
  const visitor = new Promise<Visit>((resolve) => (begin = resolve));
  const pages = read(async (page) => (await visitor)(page));
  pages.catch(() => undefined); // told to whoever looks
  return {
    trialPages: (visit) => {
      begin(visit);
      return pages;
    },
    end: () =>
      begin(() => {
        throw new Error('nobody looks at these trials');
      }),
  };
}

/** The same unless the last one shows the record as it is. */
export async function reportedCampaign(context: Context, subject: ReportSubject): Promise<ReportedCampaign> {
  return { ...subject, report: await currentReport(subject, context.environment().stateDir) };
}
