import { sql } from '../query-builder.js';
import type { Records } from '../../../ports/records.js';
import {
  ADMISSION,
  lockCampaignOf,
  markBudgetExhausted,
  refusal,
  superseded,
  unknownRecord,
  type AdmissionRow,
} from './admission.js';
import type { Database } from '../schema/database.js';
import { endOpenTrials } from '../trials/open-trials.js';

const PAGE_SIZE = 50;

/** Claiming, paging and closing batches. */
export function batches({ kysely }: Database): Pick<Records, 'claimBatch' | 'trialPage' | 'closeBatch'> {
  return {
    async claimBatch({ batchId, epoch }) {
      const { rows } = await sql<AdmissionRow & BatchRow>`
        select ${ADMISSION}, c.id as campaign_id, c.suite, b.generation_id,
          b.closed_at, (c.spec -> 'concurrency' ->> 'trials')::integer as "window"
        from batches b join campaigns c on c.id = b.campaign_id where b.id = ${batchId}`.execute(kysely);
      const batch = rows[0];
      if (batch === undefined) throw unknownRecord('batch', batchId);
      if (batch.epoch === epoch && batch.closed_at !== null) return { action: 'skip', outcome: null };
      const { campaign_id: campaignId, suite, generation_id: generationId, window } = batch;
      return refusal(batch, epoch) ?? { action: 'run', campaignId, suite, generationId, window };
    },

    async trialPage({ batchId, epoch, after }) {
      const { rows } = await sql<{ id: string | null; epoch: number }>`
        select t.id, c.epoch from batches b join campaigns c on c.id = b.campaign_id
        left join lateral (
          select id from trials
          where batch_id = b.id and state <> 'done'
            and ordinal > coalesce((select ordinal from trials where id = ${after}), -1)
          order by ordinal limit ${PAGE_SIZE}) t on true
        where b.id = ${batchId}`.execute(kysely);
      if (rows[0] === undefined) throw unknownRecord('batch', batchId);
      if (rows[0].epoch !== epoch) throw superseded(`batch ${batchId}`);
      return rows.map((row) => row.id).filter((id) => id !== null);
    },

    closeBatch: ({ batchId, epoch, openTrials }) =>
      kysely.transaction().execute(async (transaction) => {
        await lockCampaignOf(transaction, 'batches', batchId);
        const { rows } = await sql<{ campaign_id: string; epoch: number }>`
          select b.campaign_id, c.epoch from batches b join campaigns c on c.id = b.campaign_id
          where b.id = ${batchId}`.execute(transaction);
        const batch = rows[0];
        if (batch === undefined) throw unknownRecord('batch', batchId);
        if (batch.epoch !== epoch) throw superseded(`batch ${batchId}`);
        const ended =
          openTrials === null ? 0 : await endOpenTrials(transaction, sql`t.batch_id = ${batchId}`, openTrials);
        // None: a limit on trials had ended them before, which says nothing of the others.
        if (ended > 0 && openTrials?.blame === 'budget') await markBudgetExhausted(transaction, batch.campaign_id);
        await sql`update batches set closed_at = coalesce(closed_at, now()) where id = ${batchId}`.execute(transaction);
      }),
  };
}

interface BatchRow {
  campaign_id: string;
  suite: string;
  generation_id: string | null;
  closed_at: string | null;
  window: number;
}
