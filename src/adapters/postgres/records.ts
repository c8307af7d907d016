import type { Records } from '../../ports/records.js';
import { batches } from './campaigns/batches.js';
import { campaignLifecycle } from './campaigns/campaign-lifecycle.js';
import { campaignPlan } from './campaigns/campaign-plan.js';
import { campaignRemoval } from './campaigns/campaign-removal.js';
import { campaignRows } from './campaigns/campaign-rows.js';
import { buildAccounts } from './ledger/build-accounts.js';
import { stageTimes } from './ledger/campaign-usage.js';
import { candidateIntegrity } from './campaigns/candidate-integrity.js';
import { withDatabaseFailures } from './schema/database-failure.js';
import { codeTakeOver } from './campaigns/code-take-over.js';
import type { Database } from './schema/database.js';
import { generationEdits } from './trials/generation-edits.js';
import { generationRows } from './trials/generation-rows.js';
import { generations } from './trials/generations.js';
import { leases } from './campaigns/leases.js';
import { notifications } from './campaigns/notifications.js';
import { operator } from './campaigns/operator.js';
import { ownerContext } from './trials/owner-context.js';
import { likeAnswers } from './ledger/like-answers.js';
import { likeTimes } from './ledger/like-times.js';
import { likeWork } from './ledger/like-work.js';
import { ownerCost } from './ledger/owner-cost.js';
import { referencedBlobs } from './campaigns/referenced-blobs.js';
import { runPlanning } from './campaigns/run-planning.js';
import { stuckCampaigns } from './stuck-campaigns.js';
import { steps } from './trials/steps.js';
import { trialClaims } from './trials/trial-claims.js';
import { ownerCalls } from './ledger/owner-calls.js';
import { trialIds } from './trials/trial-ids.js';
import { trialList } from './trials/trial-list.js';
import { trialReviews } from './trials/trial-reviews.js';
import { trialRows } from './trials/trial-rows.js';
import { taskOutcomes } from './trials/trial-totals.js';
import { waits } from './campaigns/waits.js';
import { workLeft } from './campaigns/work-left.js';

/**
 * The records in Postgres. Throws `DomainFailure` (`records.unavailable` when the server is unavailable, retried), and
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
    ...notifications(database),
    ...campaignRemoval(database),
    ...runPlanning(database),
    ...codeTakeOver(database),
    ...stuckCampaigns(database),
    ...campaignRows(database),
    ...stageTimes(database),
    ...buildAccounts(database),
    ...candidateIntegrity(database),
    ...likeWork(database),
    ...likeTimes(database),
    ...likeAnswers(database),
    ...trialIds(database),
    ...trialReviews(database),
    ...trialRows(database),
    ...trialList(database),
    ...ownerCalls(database),
    ...taskOutcomes(database),
    ...referencedBlobs(database),
    ...leases(database),
    ...waits(database),
    ...workLeft(database),
  });
}
