import { sql } from '../query-builder.js';
import type { BatchLeft } from '../../../ports/record-sums.js';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';

/** What is left to do of a campaign that runs, batch by batch. */
export function workLeft({ kysely }: Database): Pick<Records, 'workLeft'> {
  return {
    workLeft: (campaignId) =>
      reading(kysely, async (transaction) => {
        // What ran when the campaign was stopped goes on from then.
        const { rows } = await sql<BatchLeft>`
          select b.phase, min(t.system_id) as "systemId", coalesce(g.state <> 'done', false) as "isShared",
            count(*) filter (where t.state = 'planned') as trials,
            case when g.state = 'running' then array[extract(epoch from clock_timestamp() - greatest(g.started_at, c.running_since))::float8]
              else coalesce(array_agg(extract(epoch from clock_timestamp() - greatest(t.started_at, c.running_since))::float8)
                filter (where t.state = 'running'), '{}') end as running
          from campaigns c join batches b on b.campaign_id = c.id join trials t on t.batch_id = b.id
          left join generations g on g.id = b.generation_id
          where c.id = ${campaignId} and c.running_since is not null and t.state <> 'done'
            and not exists (select from trial_runs r where r.trial_id = t.id and r.n = t.n and r.kind = 'regrade')
          group by b.id, g.id, c.id
          order by b.ordinal`.execute(transaction);
        return rows;
      }),
  };
}
