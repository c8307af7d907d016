import { sql } from './query-builder.js';
import { storableText } from '../../domain/text/storable.js';
import type { Records } from '../../ports/records.js';
import type { Database } from './schema/database.js';
import { recordEvent } from './campaigns/events.js';

/** Characters of what a workflow's failure said. */
const REASON_LIMIT = 1_000;

/** Why the workflows of `campaigns c` cannot go on, as a worker saw it last in this epoch; null where they can. */
export const STUCK = sql<string | null>`(
  select case when e.action = 'stuck' and (e.details ->> 'epoch')::int = c.epoch and c.ended_as is null then e.reason end
  from events e where e.campaign_id = c.id and e.action in ('stuck', 'moving') order by e.id desc limit 1)`;

/** What workers look after in open campaigns. */
export function stuckCampaigns({
  kysely,
}: Database): Pick<Records, 'campaignsOnCode' | 'cancelledCampaigns' | 'noteStuck'> {
  return {
    async campaignsOnCode(server, code) {
      const { rows } = await sql<{ id: string; epoch: number }>`
        select id, epoch from campaigns
        where ended_as is null and server = ${server} and code = ${code} order by created_at`.execute(kysely);
      return rows;
    },

    async cancelledCampaigns(server) {
      const { rows } = await sql<{ id: string }>`
        select id from campaigns
        where ended_as is null and server = ${server} and desired_state = 'cancel' order by created_at`.execute(kysely);
      return rows.map(({ id }) => id);
    },

    noteStuck: ({ campaignId, epoch, author, reason, details }) =>
      kysely.transaction().execute(async (transaction) => {
        // Locked: two workers may see it at one time.
        const { rows } = await sql<{ stuck: string | null }>`
          select ${STUCK} as stuck from campaigns c
          where id = ${campaignId} and epoch = ${epoch} and ended_as is null for update`.execute(transaction);
        const [campaign] = rows;
        if (campaign === undefined || (campaign.stuck === null) === (reason === null)) return false;
        const event = { campaignId, author, details: { ...details, epoch } };
        await recordEvent(
          transaction,
          reason === null
            ? { ...event, action: 'moving', reason: 'all its workflows go on' }
            : { ...event, action: 'stuck', reason: storableText(reason.slice(0, REASON_LIMIT)) },
        );
        return true;
      }),
  };
}
