import { sql } from 'kysely';
import type { Records, TrialStates } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';

/** Which trials there are and where they stand, without their rows. */
export function trialIds({ kysely }: Database): Pick<Records, 'trialIds' | 'trialStates'> {
  return {
    trialIds: async (campaignId, prefix) => {
      const { rows } = await sql<{ id: string }>`
        select t.id from trials t join batches b on b.id = t.batch_id
        where t.campaign_id = ${campaignId} and starts_with(t.id, ${prefix}) order by b.ordinal, t.ordinal`.execute(
        kysely,
      );
      return rows.map(({ id }) => id);
    },
    trialStates: async (campaignId) => {
      const { rows } = await sql<TrialStates>`
        select count(*) filter (where t.state = 'planned')::int as planned,
          count(*) filter (where t.state = 'done')::int as done,
          coalesce(array_agg(t.id order by b.ordinal, t.ordinal) filter (where t.state = 'running'), '{}') as running
        from trials t join batches b on b.id = t.batch_id where t.campaign_id = ${campaignId}`.execute(kysely);
      return rows[0]!;
    },
  };
}
