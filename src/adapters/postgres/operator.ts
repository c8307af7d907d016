import { sql } from 'kysely';
import type { Records } from '../../ports/records.js';
import { endCampaign } from './campaign-lifecycle.js';
import type { Database } from './database.js';
import { unknownCampaign } from './unknown-campaign.js';

/** What an operator asks for. */
export function operator({ kysely }: Database): Pick<Records, 'setDesiredState' | 'resolveCampaign'> {
  return {
    setDesiredState: ({ campaignId, state, author, reason }) =>
      kysely.transaction().execute(async (transaction) => {
        const campaign = await transaction
          .selectFrom('campaigns')
          .select(['epoch', 'ended_as'])
          .where('id', '=', campaignId)
          .forUpdate()
          .executeTakeFirst();
        if (campaign === undefined) throw unknownCampaign(campaignId);
        await transaction
          .insertInto('events')
          .values({ campaign_id: campaignId, author, action: state, reason })
          .execute();
        // What has ended can only be run again; pausing or cancelling it would change what its past looks like.
        if (campaign.ended_as !== null && state !== 'run') return;
        await transaction.updateTable('campaigns').set({ desired_state: state }).where('id', '=', campaignId).execute();
        const neverOpened = campaign.epoch === 0;
        if (neverOpened && (state === 'cancel' || state === 'stop')) {
          await endCampaign(transaction, campaignId, { isCancelled: true, isOutOfBudget: false, failure: null });
        }
      }),

    async resolveCampaign(idOrPrefix) {
      const { rows } = await (
        idOrPrefix === 'latest'
          ? sql<{ id: string }>`select id from campaigns order by created_at desc, id limit 1`
          : sql<{ id: string }>`
            select id from campaigns where starts_with(id, ${idOrPrefix}) order by id = ${idOrPrefix} desc limit 2`
      ).execute(kysely);
      const [first, second] = rows;
      return first !== undefined && (second === undefined || first.id === idOrPrefix) ? first.id : null;
    },
  };
}
