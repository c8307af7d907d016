import { sql } from 'kysely';
import type { CampaignUsage, Records } from '../../ports/records.js';
import type { Database } from './database.js';
import { reading } from './reading.js';

/** What model calls and stages of a campaign came to, summed by Postgres: a campaign may have 100,000 trials. */
export function campaignUsage({ kysely }: Database): Pick<Records, 'campaignUsage'> {
  return {
    campaignUsage: (campaignId) =>
      reading(kysely, async (transaction): Promise<CampaignUsage> => {
        const owners = sql`
          select id, 'trial' as kind, system_id from trials where campaign_id = ${campaignId}
          union all select id, 'generation', system_id from generations where campaign_id = ${campaignId}`;
        const calls = await sql<CampaignUsage['calls'][number]>`
          with owners as (${owners})
          select o.system_id as "systemId", c.stage, c.purpose, c.model, count(distinct c.key)::bigint as calls,
            count(distinct c.key) filter (where s.state = 'settled' and not s.usage_reported)::bigint as "withoutUsage",
            coalesce(sum(coalesce(s.actual_tokens, s.estimate_tokens)), 0)::bigint as tokens,
            coalesce(sum(coalesce(s.actual_micro_usd, s.estimate_micro_usd)), 0)::bigint as "costMicroUsd"
          from calls c join owners o on o.id = c.owner_id and o.kind = c.owner_kind join sends s on s.key = c.key
          where c.campaign_id = ${campaignId} and s.state in ('settled', 'ambiguous')
          group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(transaction);
        const stages = await sql<CampaignUsage['stages'][number]>`
          with owners as (${owners})
          select o.system_id as "systemId", a.owner_kind as owner, a.stage, count(*)::bigint as attempts,
            coalesce(sum(extract(epoch from a.ended_at - a.started_at)), 0)::float8 as "wallSeconds"
          from attempts a join owners o on o.id = a.owner_id and o.kind = a.owner_kind
          group by 1, 2, 3 order by 1, 2, 3`.execute(transaction);
        return { calls: calls.rows, stages: stages.rows };
      }),
  };
}
