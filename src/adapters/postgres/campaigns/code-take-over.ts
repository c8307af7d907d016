import { sql } from '../query-builder.js';
import type { Records } from '../../../ports/records.js';
import type { PolledCode } from '../../../contract/worker-limits.js';
import type { Database } from '../schema/database.js';
import { recordEvent } from './events.js';

/** Which workflow code polls for a server, and campaigns whose code nobody polls any more. */
export function codeTakeOver({
  kysely,
}: Database): Pick<Records, 'supersede' | 'polledCodes' | 'isCodePolled' | 'strandedCampaigns' | 'takeOver'> {
  return {
    async supersede(campaignId) {
      const { rows } = await sql<{ epoch: number }>`
        update campaigns set epoch = epoch + 1 where id = ${campaignId} and ended_as is null
        returning epoch`.execute(kysely);
      return rows[0]?.epoch ?? null;
    },

    async polledCodes(server) {
      const { rows } = await sql<PolledCode>`
        select code, bool_or(is_living(w)) as "isLiving" from workers w
        where server = ${server} and code is not null group by code order by max(started_at) desc`.execute(kysely);
      return rows;
    },

    async isCodePolled(campaignId) {
      const { rows } = await sql<{ is: boolean }>`
        select ${IS_POLLED} as is from campaigns c where id = ${campaignId}`.execute(kysely);
      return rows[0]?.is ?? false;
    },

    async strandedCampaigns(server) {
      const { rows } = await sql<{ id: string; suite: string; code: string; epoch: number }>`
        select id, suite, code, epoch from campaigns c
        where ended_as is null and server = ${server} and not ${IS_POLLED} order by created_at`.execute(kysely);
      return rows;
    },

    takeOver: ({ campaignId, epoch, code, author, reason }) =>
      kysely.transaction().execute(async (transaction) => {
        // One that was never opened has nobody to supersede, and stays planned.
        const { rows } = await sql<{ before: string }>`
          with old as (select id, code from campaigns where id = ${campaignId} for update)
          update campaigns c set epoch = case when epoch > 0 then epoch + 1 else epoch end
          from old where c.id = old.id and epoch = ${epoch} and ended_as is null
          returning old.code as before`.execute(transaction);
        if (rows[0] === undefined) return false;
        const details = { from: rows[0].before, to: code };
        await recordEvent(transaction, { campaignId, action: 'take-over', author, reason, details });
        return true;
      }),
  };
}

/** Whether a living worker polls for the workflow code of `campaigns c`, on its server. */
const IS_POLLED = sql<boolean>`exists (
  select from workers w where w.server = c.server and w.code = c.code and is_living(w))`;
