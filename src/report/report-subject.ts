import type { CampaignLock, CampaignSpec } from '../contract/campaign.js';
import type { CandidateIntegrity } from '../contract/candidate.js';
import type { CampaignRow, EventRow, Records, TrialTotals } from '../ports/records.js';
import type { Suite } from '../ports/suite.js';
import type { ReportDetails } from './report-details.js';

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
  /** Path of `report.md`, null while there is none. */
  reportPath: string | null;
  /** The campaign's page in the Temporal UI, null when no UI is known. */
  temporalUi: string | null;
}
