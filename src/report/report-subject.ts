import type { CampaignLock, CampaignSpec } from '../contract/campaign.js';
import type { CandidateIntegrity } from '../contract/candidate.js';
import type { CampaignRow, EventRow, Records, TrialTotals } from '../ports/records.js';
import { holdsBooks } from '../domain/build-books.js';
import type { TemporalNames } from '../domain/temporal-names.js';
import type { Suite, SuiteReport } from '../ports/suite.js';
import type { ReportDetails } from './report-details.js';

/** A report on this machine's disk. */
export interface WrittenReport {
  /** Of `report.md`. */
  path: string;
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
  /** The suite's own rates. */
  rates: Suite['rates'];
  /** What a whole report needs beyond the rows; read only when one is made. */
  details: () => Promise<ReportDetails>;
  /** The last report that was written on this machine, null where there is none. */
  report: WrittenReport | null;
  /** The campaign's page in the Temporal UI, null when no UI is known. */
  temporalUi: string | null;
}

/** Reads everything a reporter needs of one campaign anew, but for what was written of it. */
export async function readSubject(
  parts: {
    records: Records;
    /** What the installation calls its workflows. */
    names: TemporalNames;
    suites: readonly Suite[];
    suiteFolder(suiteId: string): string;
    /** The page of a workflow in the Temporal UI. */
    workflowUrl(workflowId: string): string | undefined;
  },
  id: string,
): Promise<Omit<ReportSubject, 'report'>> {
  const { records, names } = parts;
  const [campaign, totals, events, integrity] = await Promise.all([
    records.campaign(id),
    records.trialTotals(id),
    records.events(id),
    records.integrity(id),
  ]);
  const suite = parts.suites.find(({ manifest }) => manifest.id === campaign.suite);
  if (!suite) throw new Error(`this version knows no suite ${campaign.suite}`);
  const suiteFolder = parts.suiteFolder(campaign.suite);
  // Rows are read where somebody looks at them.
  const suiteReport = async (): Promise<SuiteReport | null> =>
    suite.report === undefined
      ? null
      : suite.report({ spec: campaign.spec, trials: await records.trials(id), suiteFolder });
  return {
    campaign,
    totals,
    trialPages: (visit) => records.trialPages(id, visit),
    events,
    integrity,
    rates: (trials) => suite.rates(trials),
    details: async () => {
      const [usage, rerun, own] = await Promise.all([
        records.campaignUsage(id),
        records.rerunTrials(id),
        suiteReport(),
      ]);
      return { suite: own, usage, rerun };
    },
    temporalUi: parts.workflowUrl(bookedBuild(names, suite, campaign) ?? names.campaign(id)) ?? null,
  };
}

/** Id of the workflow whose model calls a campaign holds the books of; null for a campaign of trials. */
export function bookedBuild(
  names: TemporalNames,
  { manifest, dataset }: Suite,
  campaign: CampaignRow & { spec: CampaignSpec },
): string | null {
  const version = dataset.build?.describing?.version(campaign.spec.models.author?.name ?? '');
  return version !== undefined && holdsBooks(campaign) ? names.dataset(manifest.id, version) : null;
}
