import type { Records } from '../../ports/records.js';
import { batches } from './batches.js';
import { campaignLifecycle } from './campaign-lifecycle.js';
import { campaignPlan } from './campaign-plan.js';
import { campaignRows } from './campaign-rows.js';
import { campaignUsage } from './campaign-usage.js';
import { candidateIntegrity } from './candidate-integrity.js';
import { withDatabaseFailures } from './database-failure.js';
import { codeTakeOver } from './code-take-over.js';
import type { Database } from './database.js';
import { generationEdits } from './generation-edits.js';
import { generationRows } from './generation-rows.js';
import { generations } from './generations.js';
import { leases } from './leases.js';
import { operator } from './operator.js';
import { ownerContext } from './owner-context.js';
import { ownerCost } from './owner-cost.js';
import { referencedBlobs } from './referenced-blobs.js';
import { runPlanning } from './run-planning.js';
import { stuckCampaigns } from './stuck-campaigns.js';
import { steps } from './steps.js';
import { trialClaims } from './trial-claims.js';
import { trialRows } from './trial-rows.js';
import { trialTotals } from './trial-totals.js';
import { waits } from './waits.js';

/**
 * The records in Postgres. Throws `DomainFailure` (`records.unavailable` when the server is away, retried), and
 * `UserError`, ready to print, for what a person asked for and cannot have.
 */
export function createRecords(database: Database): Records {
  return withDatabaseFailures({
    ...campaignPlan(database),
    ...campaignLifecycle(database),
    ...batches(database),
    ...generations(database),
    ...generationRows(database),
    ...generationEdits(database),
    ...trialClaims(database),
    ...ownerContext(database),
    ...ownerCost(database),
    ...steps(database),
    ...operator(database),
    ...runPlanning(database),
    ...codeTakeOver(database),
    ...stuckCampaigns(database),
    ...campaignRows(database),
    ...campaignUsage(database),
    ...candidateIntegrity(database),
    ...trialRows(database),
    ...trialTotals(database),
    ...referencedBlobs(database),
    ...leases(database),
    ...waits(database),
  });
}
