import { sql } from '../query-builder.js';
import type { CampaignRemoval, Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { recordEvent } from './events.js';
import { lockedCampaign } from './operator.js';

/** Rows that name a trial or a generation by its id alone. */
const OF_OWNERS = ['steps', 'attempts', 'evidence', 'votes'] as const;

/** Takes an ended campaign out of the record. */
export function campaignRemoval({ kysely }: Database): Pick<Records, 'removeCampaign'> {
  return {
    removeCampaign: ({ campaignId, author, reason }) =>
      kysely.transaction().execute(async (transaction): Promise<CampaignRemoval> => {
        const { ended_as: endedAs } = await lockedCampaign(transaction, campaignId);
        if (endedAs === null) return { state: 'open' };
        // Its answer would find nothing to be settled in.
        const { rows } = await sql<{ calls: number }>`
          select count(*) as calls from calls c join sends s on s.key = c.key
          where c.campaign_id = ${campaignId} and s.state in ('reserved', 'sent') and (s.is_batched
            or exists (select from workers w where w.instance = s.worker and is_living(w)))`.execute(transaction);
        const { calls = 0 } = rows[0] ?? {};
        if (calls > 0) return { state: 'calls-under-way', calls };
        const details = { campaign: campaignId };
        await recordEvent(transaction, { campaignId: null, action: 'delete', author, reason, details });
        for (const table of OF_OWNERS)
          await sql`
            delete from ${sql.table(table)} using (
              select 'trial' as kind, id from trials where campaign_id = ${campaignId}
              union all select 'generation', id from generations where campaign_id = ${campaignId}) own
            where owner_kind = own.kind and owner_id = own.id`.execute(transaction);
        await sql`
          delete from budgets where scope in (
            select distinct unnest(scopes) from calls where campaign_id = ${campaignId}
            union all select ${`campaign:${campaignId}`}) and scope <> 'installation'`.execute(transaction);
        // Everything else goes with its row.
        await transaction.deleteFrom('campaigns').where('id', '=', campaignId).execute();
        return { state: 'removed' };
      }),
  };
}
