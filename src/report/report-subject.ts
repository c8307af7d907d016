import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CampaignLock, CampaignSpec } from '../contract/campaign.js';
import type { CandidateIntegrity } from '../contract/candidate.js';
import type { RecordedReview, TrialReview } from '../contract/verdict.js';
import type { Blobs } from '../ports/blobs.js';
import type { CampaignRow, EventRow, Records, TrialTotals } from '../ports/records.js';
import type { CampaignUsage } from '../ports/record-sums.js';
import type { TemporalNames } from '../domain/campaign/temporal-names.js';
import type { Finding, ReportInput, SuiteReport } from '../suite/report.js';
import type { Suite } from '../suite/suite.js';
import type { FailureSource } from './failures/failure-analysis.js';
import type { ReportDetails } from './report-details.js';

/** A report on this machine's disk. */
export interface WrittenReport {
  /** Of `report.md`. */
  path: string;
  /** Of `report.html`. */
  page: string;
  /** ISO, UTC. */
  at: string;
  /** Whether it shows the record as it is now. */
  isCurrent: boolean;
}

/** What every reporter is given. */
export interface ReportSubject {
  campaign: CampaignRow & { spec: CampaignSpec; lock: CampaignLock };
  totals: TrialTotals;
  /** Its trials in plan order, page by page; read when a whole report is made. */
  trialPages: (visit: Parameters<Records['trialPages']>[1]) => Promise<void>;
  /** What operators asked of it, oldest first. */
  events: readonly EventRow[];
  /** One row for every shared candidate. */
  integrity: readonly CandidateIntegrity[];
  /** The suite's own rates beside the score. */
  columns: Suite['resultColumns'];
  /** What a whole report needs beyond the rows; read when it is asked for first, and kept. */
  details: () => Promise<ReportDetails>;
  /** Where what was found is not what was published; null where the suite finds no such thing. */
  findings: () => Promise<Finding[] | null>;
  /** What its failed trials are analysed by; read only when a report is made. */
  failures: () => Promise<FailureSource>;
  /** The last report that was written on this machine, null where there is none. */
  report: WrittenReport | null;
  /** The campaign's page in the Temporal UI, null when no UI is known. */
  temporalUi: string | null;
  /** The version of Durabench that reports. */
  durabench: string;
}

async function ownVersion(packageRoot: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** What people said of trials, as it was kept by `recordReview`. */
export const recordedReviews = (events: readonly EventRow[]): RecordedReview[] =>
  events.flatMap(({ action, author, reason, at, details }) =>
    action === 'review' ? [{ ...(details as TrialReview), author, reason, at }] : [],
  );

/** Reads everything a reporter needs of one campaign anew, but for what was written of it. */
export async function readSubject(
  parts: {
    records: Records;
    blobs: Blobs;
    /** What the installation calls its workflows. */
    names: TemporalNames;
    suiteNamed(id: string): Promise<Suite>;
    /** Where the folders of suites are found from. */
    packageRoot: string;
    /** The page of a workflow in the Temporal UI. */
    workflowUrl(workflowId: string): string | undefined;
  },
  id: string,
): Promise<Omit<ReportSubject, 'report'>> {
  const { records, names } = parts;
  const suite = await parts.suiteNamed((await records.campaignOutline(id)).suite);
  const [{ campaign, totals, calls }, events, integrity] = await Promise.all([
    records.campaignTotals(
      id,
      suite.resultColumns.map(({ metric }) => metric),
    ),
    records.events(id),
    records.integrity(id),
  ]);
  const suiteFolder = resolve(parts.packageRoot, suite.folder);
  // Rows are read where somebody looks at them.
  const bytesOf = async (sha256: string | null | undefined): Promise<Buffer | null> =>
    sha256 && (await parts.blobs.has(sha256)) ? parts.blobs.get(sha256) : null;
  const reportInput = async (): Promise<ReportInput> => ({
    spec: campaign.spec,
    trials: await records.trials(id),
    suiteFolder,
    reviews: recordedReviews(events),
    evidence: async (trialId, name) => {
      const { steps } = await records.trial(trialId);
      return bytesOf(steps.flatMap(({ evidence }) => evidence).findLast((each) => each.name === name)?.sha256);
    },
    task: async (taskId) => bytesOf(await records.taskHash(id, taskId)),
  });
  const suiteReport = async (usage: CampaignUsage): Promise<SuiteReport | null> =>
    (await suite.report?.({ ...(await reportInput()), usage })) ?? null;
  const readDetails = async (): Promise<ReportDetails> => {
    const usage = { calls, stages: await records.stageTimes(id) };
    const [rerun, own] = await Promise.all([records.rerunTrials(id), suiteReport(usage)]);
    return { suite: own, usage, rerun };
  };
  let details: Promise<ReportDetails> | undefined;
  return {
    campaign,
    totals,
    trialPages: (visit) => records.trialPages(id, visit),
    events,
    integrity,
    columns: suite.resultColumns,
    details: () => (details ??= readDetails()),
    findings: async () => (await suite.findings?.(await reportInput())) ?? null,
    failures: async () => ({
      suite: suite.failures ?? null,
      difficulties: (await suite.failures?.difficulties?.(suiteFolder)) ?? null,
      explain: async (trialId) =>
        suite.explain === undefined ? null : suite.explain((await records.trial(trialId)).steps, parts.blobs),
    }),
    temporalUi: parts.workflowUrl(names.campaign(id)) ?? null,
    durabench: await ownVersion(parts.packageRoot),
  };
}
