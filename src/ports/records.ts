import type { CampaignPlan } from '../contract/plan.js';
import type { Revision } from '../contract/revision.js';
import type { BuildAccounts } from './build-accounts.js';
import type { Leases } from './leases.js';
import type { CampaignWork } from './campaign-work.js';
import type { CampaignReads } from './campaign-reads.js';
import type { CampaignPlacement } from './campaign-placement.js';
import type { Notifications } from './notifications.js';
import type { OperatorRecords } from './operator-records.js';

export type { BatchPhase, CampaignPlan, PlannedBatch } from '../contract/plan.js';
export type * from './build-accounts.js';
export type * from './campaign-placement.js';
export type { CampaignOutline, TrialChoice } from './campaign-reads.js';
export type * from './campaign-work.js';
export type * from './operator-records.js';
export type * from './record-rows.js';
export type * from './record-sums.js';

/** The record: plan, claims, results, desired state. Totals are sums over rows. Every writing method takes part in the epoch guard where it names an epoch, and throws `operator.superseded` when stale. */
export interface Records
  extends CampaignWork, OperatorRecords, CampaignPlacement, CampaignReads, Notifications, Leases, BuildAccounts {
  /**
   * All or nothing. Attaches when the id exists and asks the same question: what is no part of the question (concurrency, endpoints,
   * names of keys, budget, prices) is taken from the new plan, an event says so, and nothing that is finished is touched.
   * Fails when it asks another. What was charged keeps its price. A revision is linked to the campaign it changes, with an event in both.
   */
  createCampaign(plan: CampaignPlan, by?: { author?: string; revision?: Revision }): Promise<void>;
}
