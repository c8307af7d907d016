import type { Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { CampaignSpec, CampaignStatus, DesiredState } from '../../../contract/campaign.js';
import type { Failure } from '../../../contract/failure.js';
import type { TrialEnd } from '../../../contract/verdict.js';
import { endOfFailure, stopFailure } from '../../../domain/campaign/trial-end.js';
import type { BatchKey, Records } from '../../../ports/records.js';
import { IS_OUT_OF_BUDGET, superseded, unknownRecord } from './admission.js';
import type { Database } from '../schema/database.js';
import { endAbandonedSends } from '../ledger/ledger-ends.js';
import { ledgerTables } from '../schema/ledger-tables.js';
import { endOpenTrials } from '../trials/open-trials.js';
import { interruptedRuns, planRuns, reopen } from './planned-runs.js';
import type { Tables } from '../schema/tables.js';
import { endChunkBeyond } from '../trials/trial-limit.js';

const PAGE_SIZE = 50;
/** Batches that one call of a close ends the trials of, at most 500 each: a second of a small machine's time. */
const BATCHES_A_CLOSE = 5;

/** Opening, paging and closing a campaign. */
export function campaignLifecycle({
  kysely,
}: Database): Pick<Records, 'openCampaign' | 'limitTrials' | 'batchPage' | 'closeCampaign'> {
  return {
    openCampaign: (campaignId, server, code) =>
      kysely.transaction().execute(async (transaction) => {
        const campaign = await raiseEpoch(transaction, campaignId, { server: server ?? null, code: code ?? null });
        if (mayRun(campaign)) {
          await planRuns(transaction, await interruptedRuns(transaction, campaignId));
          await reopen(transaction, campaignId);
        }
        const isOverLimit = await isStillOverLimit(transaction, campaignId, campaign);
        const { batches, trials } = campaign.spec.concurrency;
        const batchCount = await openBatchCount(transaction, campaignId);
        return { epoch: campaign.epoch, batchCount, concurrency: { batches, trials }, isOverLimit };
      }),

    limitTrials: ({ campaignId, epoch }) =>
      kysely.transaction().execute(async (transaction) => {
        const campaign = await transaction
          .selectFrom('campaigns')
          .select(['epoch', 'desired_state', 'spec'])
          .where('id', '=', campaignId)
          .forUpdate()
          .executeTakeFirst();
        if (campaign === undefined) throw unknownRecord('campaign', campaignId);
        if (campaign.epoch !== epoch) throw superseded(`campaign ${campaignId}`);
        return { isOverLimit: await isStillOverLimit(transaction, campaignId, campaign) };
      }),

    async batchPage({ campaignId, epoch, after }) {
      const { rows } = await sql<BatchKey & { epoch: number }>`
        select b.id, b.phase, c.epoch from campaigns c
        left join lateral (
          select id, phase from batches
          where campaign_id = c.id and closed_at is null
            and ordinal > coalesce((select ordinal from batches where id = ${after}), -1)
          order by ordinal limit ${PAGE_SIZE}) b on true
        where c.id = ${campaignId}`.execute(kysely);
      if (rows[0] === undefined) throw unknownRecord('campaign', campaignId);
      if (rows[0].epoch !== epoch) throw superseded(`campaign ${campaignId}`);
      return rows.filter((row) => row.id !== null).map(({ id, phase }) => ({ id, phase }));
    },

    closeCampaign: (input) => kysely.transaction().execute((transaction) => closeCampaign(transaction, input)),
  };
}

/** A cancelled campaign only comes back to be closed: claims answer stop, the sweep ends the rest. */
const mayRun = ({ desired_state: desired }: { desired_state: DesiredState }): boolean =>
  desired === 'run' || desired === 'pause';

/** Ends the next trials beyond the campaign's limit. @returns whether there may be more */
async function isStillOverLimit(
  transaction: Transaction<Tables>,
  campaignId: string,
  campaign: { desired_state: DesiredState; spec: CampaignSpec },
): Promise<boolean> {
  return mayRun(campaign) && endChunkBeyond(transaction, campaignId, campaign.spec.budget.trials);
}

async function raiseEpoch(
  transaction: Transaction<Tables>,
  campaignId: string,
  { server, code }: { server: string | null; code: string | null },
) {
  const campaign = await transaction
    .updateTable('campaigns')
    .set({
      epoch: sql`epoch + 1`,
      opened_at: sql`coalesce(opened_at, now())`,
      ended_at: null,
      ended_as: null,
      server: sql`coalesce(${server}, server)`,
      code: sql`coalesce(${code}, code)`,
      // At a hard limit the next reservation finds out by itself; until then what costs nothing may run.
      budget_exhausted_at: null,
    })
    .where('id', '=', campaignId)
    // Elsewhere it was handed to another server meanwhile: an open that was delayed there must not take it back.
    .where(sql<boolean>`(server is null or server = coalesce(${server}, server))`)
    .returning(['epoch', 'desired_state', 'spec'])
    .executeTakeFirst();
  if (campaign !== undefined) return campaign;
  const known = await transaction.selectFrom('campaigns').select('id').where('id', '=', campaignId).executeTakeFirst();
  throw known === undefined ? unknownRecord('campaign', campaignId) : superseded(`campaign ${campaignId}`);
}

async function openBatchCount(transaction: Transaction<Tables>, campaignId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from batches where campaign_id = ${campaignId} and closed_at is null`.execute(transaction);
  return rows[0]?.count ?? 0;
}

async function closeCampaign(
  transaction: Transaction<Tables>,
  input: Parameters<Records['closeCampaign']>[0],
): Promise<{ status: CampaignStatus | null }> {
  const campaign = await transaction
    .selectFrom('campaigns as c')
    .select(['epoch', 'desired_state', 'ended_as', IS_OUT_OF_BUDGET.as('is_out_of_budget')])
    .where('id', '=', input.campaignId)
    .forUpdate()
    .executeTakeFirst();
  if (campaign === undefined) throw unknownRecord('campaign', input.campaignId);
  if (campaign.epoch !== input.epoch) throw superseded(`campaign ${input.campaignId}`);
  if (campaign.ended_as !== null) return { status: campaign.ended_as };
  const cause: EndCause = {
    isCancelled: input.cancelled === true || ['cancel', 'stop'].includes(campaign.desired_state),
    isOutOfBudget: campaign.is_out_of_budget,
    failure: input.failure ?? null,
  };
  if (await closeOpenBatches(transaction, input.campaignId, cause)) return { status: null };
  await endAbandonedSends(ledgerTables(transaction), { accountId: input.campaignId });
  return endCampaign(transaction, input.campaignId, cause);
}

/** Ends the trials of the next few open batches, and closes these. @returns whether there may be more */
async function closeOpenBatches(
  transaction: Transaction<Tables>,
  campaignId: string,
  cause: EndCause,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from batches where campaign_id = ${campaignId} and closed_at is null
    order by ordinal limit ${BATCHES_A_CLOSE}`.execute(transaction);
  const ids = rows.map(({ id }) => id);
  await endOpenTrials(transaction, sql`t.batch_id = any(${ids})`, sweepEnd(cause));
  await sql`update batches set closed_at = now() where id = any(${ids})`.execute(transaction);
  return ids.length === BATCHES_A_CLOSE;
}

/** Why trials of a campaign may be open at its end. */
interface EndCause {
  isCancelled: boolean;
  isOutOfBudget: boolean;
  failure: Failure | null;
}

/** Sweeps what is open and sets the final status; the campaign's row is locked by the caller. */
export async function endCampaign(
  transaction: Transaction<Tables>,
  campaignId: string,
  cause: EndCause,
): Promise<{ status: CampaignStatus }> {
  await endOpenTrials(transaction, sql`t.campaign_id = ${campaignId}`, sweepEnd(cause));
  await sql`update batches set closed_at = now() where campaign_id = ${campaignId} and closed_at is null`.execute(
    transaction,
  );
  const { rows } = await sql<{ ended_as: 'completed' | 'budget_exhausted' | 'cancelled' }>`
    update campaigns set ended_at = now(), ended_as = case
      -- A cancel or a spent budget that left nothing undone did not cut the campaign short.
      when not exists (select from trials where campaign_id = ${campaignId} and outcome = 'not_run') then 'completed'
      when ${cause.isCancelled}::boolean then 'cancelled'
      -- Also where the limit was raised too late for trials that had been refused.
      when ${cause.isOutOfBudget}::boolean or exists (
        select from trials where campaign_id = ${campaignId} and outcome = 'not_run' and blame = 'budget')
        then 'budget_exhausted'
      else 'completed' end
    where id = ${campaignId} returning ended_as`.execute(transaction);
  if (rows[0] === undefined) throw unknownRecord('campaign', campaignId);
  return { status: rows[0].ended_as };
}

function sweepEnd(cause: EndCause): TrialEnd {
  if (cause.isCancelled) return endOfFailure(stopFailure('operator.cancelled'));
  if (cause.isOutOfBudget) return endOfFailure(stopFailure('budget.exhausted'));
  if (cause.failure) return endOfFailure(cause.failure);
  // Batches close their own trials; this is left when one could not (its workflow was terminated and nobody noticed).
  const [message, advice] = ['the campaign ended without running it', { fix: 'durabench resume CAMPAIGN' }];
  return { outcome: 'not_run', blame: 'harness', reason: 'harness.bug', message, advice, verdict: null, skipped: [] };
}
