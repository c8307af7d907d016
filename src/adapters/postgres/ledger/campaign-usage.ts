import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { OwnerRef } from '../../../contract/stage.js';
import type { CampaignUsage, Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';

/** What model calls and stages of a campaign came to, summed by Postgres: a campaign may have 100,000 trials. */
export function campaignUsage({ kysely }: Database): Pick<Records, 'campaignUsage'> {
  return {
    campaignUsage: (campaignId) =>
      reading(kysely, async (transaction): Promise<CampaignUsage> => {
        // Few calls have a second send: looking for an earlier one is cheaper than telling all keys apart.
        const isFirst = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
          (s.attempt = 1 or not exists (
            select from sends e where e.key = s.key and e.attempt < s.attempt and ${condition}))`;
        const charged = sql`e.state in ('settled', 'ambiguous')`;
        const silent = sql`e.state = 'settled' and not e.usage_reported and e.usage_claim is null`;
        const asked = sql`
          coalesce(t.system_id, g.system_id) as "systemId", coalesce(k.task_group, g.scope, '') as "group",
          c.stage, c.purpose, c.model`;
        const owners = sql`
          left join trials t on c.owner_kind = 'trial' and t.id = c.owner_id
          left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
          left join generations g on c.owner_kind = 'generation' and g.id = c.owner_id`;
        const calls = await sql<CampaignUsage['calls'][number]>`
          with sent as (
          select ${asked},
            count(*) filter (where ${isFirst(charged)}) as calls,
            count(*) filter (where s.state = 'settled' and not s.usage_reported and s.usage_claim is null and ${isFirst(silent)}) as "withoutUsage",
            count(*) filter (where s.usage_claim is not null) as implausible,
            sum(coalesce(s.actual_tokens, s.estimate_tokens))::bigint as tokens,
            sum(coalesce(s.actual_micro_usd, s.estimate_micro_usd))::bigint as "costMicroUsd"
          from calls c join sends s on s.key = c.key ${owners}
          where c.campaign_id = ${campaignId} and s.state in ('settled', 'ambiguous')
          group by 1, 2, 3, 4, 5),
          reused as (
            select ${asked}, count(*) as reused, sum(c.saved_micro_usd)::bigint as saved
            from calls c ${owners} where c.campaign_id = ${campaignId} and c.reused_from is not null
            group by 1, 2, 3, 4, 5)
          select "systemId", "group", stage, purpose, model, coalesce(calls, 0) as calls,
            coalesce("withoutUsage", 0) as "withoutUsage", coalesce(implausible, 0) as implausible,
            coalesce(tokens, 0) as tokens, coalesce("costMicroUsd", 0) as "costMicroUsd",
            coalesce(reused, 0) as "reusedCalls", coalesce(saved, 0) as "savedMicroUsd"
          from sent full join reused using ("systemId", "group", stage, purpose, model)
          order by 1, 3, 4, 5, 2`.execute(transaction);
        const attemptsOf = (
          kind: OwnerRef['kind'],
          group: RawBuilder<unknown>,
          beside = sql``,
        ): RawBuilder<unknown> => sql`
          select o.system_id as "systemId", ${group} as "group", a.owner_kind as owner, a.stage, count(*) as attempts,
            sum(extract(epoch from a.ended_at - a.started_at))::float8 as "wallSeconds"
          from ${sql.table(`${kind}s`)} o join attempts a on a.owner_kind = ${kind} and a.owner_id = o.id ${beside}
          where o.campaign_id = ${campaignId} group by 1, 2, 3, 4`;
        const ofTrials = attemptsOf(
          'trial',
          sql`coalesce(k.task_group, '')`,
          sql`left join campaign_tasks k on k.campaign_id = o.campaign_id and k.task_id = o.task_id`,
        );
        const stages = await sql<CampaignUsage['stages'][number]>`
          ${ofTrials} union all ${attemptsOf('generation', sql`o.scope`)} order by 1, 3, 4, 2`.execute(transaction);
        return { calls: calls.rows, stages: stages.rows };
      }),
  };
}
