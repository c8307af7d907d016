import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { OwnerRef } from '../../../contract/stage.js';
import type { Spend } from '../../../ports/record-rows.js';
import type { CampaignUsage, Records, TrialSpend } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import type { Tables } from '../schema/tables.js';
import { CALLS_WITH_SENDS, CHARGED, repeatedCalls, SPEND_SUMS, toSpend, type SpendRow } from './account-spend.js';

/** How long the stages of a campaign took, summed by Postgres: a campaign may have 100,000 trials. */
export function stageTimes({ kysely }: Database): Pick<Records, 'stageTimes'> {
  return {
    stageTimes: (campaignId) =>
      reading(kysely, async (transaction) => {
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
        const { rows } = await sql<CampaignUsage['stages'][number]>`
          ${ofTrials} union all ${attemptsOf('generation', sql`o.scope`)} order by 1, 3, 4, 2`.execute(transaction);
        return rows;
      }),
  };
}

/** What the calls of a campaign come to. */
interface CallSums {
  /** Of the campaign. */
  spend: Spend;
  /** Of its trials, in no order. */
  ofTrials: TrialSpend[];
  usage: CampaignUsage['calls'];
}

/** Sums of its calls, which are read once for all of them. */
export async function callSums(kysely: Kysely<Tables>, campaignId: string): Promise<CallSums> {
  return reading(kysely, async (transaction) => {
    const rows = await sumsRows(transaction, campaignId);
    const again = await sql<{ repeated_calls: number }>`
      ${repeatedCalls('campaign', sql`select ${campaignId}::text`)}`.execute(transaction);
    return {
      spend: spendIn(rows, again.rows[0]?.repeated_calls ?? 0),
      ofTrials: spendOfTrials(rows),
      usage: usageIn(rows),
    };
  });
}

/** {@link SpendRow.calls} are those that were answered. */
interface SumsRow extends Omit<SpendRow, 'repeated_calls'> {
  systemId: string;
  group: string;
  stage: string;
  purpose: string;
  model: string;
  owner_kind: OwnerRef['kind'];
  charged_sends: number;
  /** Calls of which a send is charged. */
  charged_calls: number;
  without_usage: number;
}

/** A send that was answered without usage: it counts at its estimate. */
const UNREPORTED = sql`s.state = 'settled' and not s.usage_reported and s.usage_claim is null`;

async function sumsRows(transaction: Transaction<Tables>, campaignId: string): Promise<SumsRow[]> {
  // Few calls were sent again. What is asked of their sends is joined: a subquery in a sum would keep Postgres from adding
  // up on several cores.
  const isFirst = (attempt: string): RawBuilder<unknown> => sql`(r.key is null or s.attempt = ${sql.ref(attempt)})`;
  const { rows } = await sql<SumsRow>`
    select coalesce(t.system_id, g.system_id) as "systemId", coalesce(k.task_group, g.scope, '') as "group",
      c.stage, c.purpose, c.model, c.owner_kind, ${SPEND_SUMS},
      count(*) filter (where ${CHARGED}) as charged_sends,
      count(*) filter (where ${CHARGED} and ${isFirst('r.first_charged')}) as charged_calls,
      count(*) filter (where ${UNREPORTED} and ${isFirst('r.first_unreported')}) as without_usage
    from ${CALLS_WITH_SENDS}
    left join (
      select key, min(attempt) filter (where ${CHARGED}) as first_charged,
        min(attempt) filter (where ${UNREPORTED}) as first_unreported
      from sends s where key in (select key from sends where attempt > 1) group by key) r on r.key = s.key
    left join trials t on c.owner_kind = 'trial' and t.id = c.owner_id
    left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    left join generations g on c.owner_kind = 'generation' and g.id = c.owner_id
    where c.campaign_id = ${campaignId}
    group by 1, 2, 3, 4, 5, 6 order by 1, 3, 4, 5, 2`.execute(transaction);
  return rows;
}

function spendIn(rows: readonly SumsRow[], repeatedCalls: number): Spend {
  const sum = (of: keyof Omit<SpendRow, 'repeated_calls'>): number =>
    rows.reduce((total, row) => total + (row[of] ?? 0), 0);
  return toSpend({
    ...{ micro_usd: sum('micro_usd'), tokens: sum('tokens'), calls: sum('calls'), repeated_calls: repeatedCalls },
    ...{ recovered_calls: sum('recovered_calls'), replayed_calls: sum('replayed_calls') },
    ...{
      reused_calls: sum('reused_calls'),
      saved_micro_usd: sum('saved_micro_usd'),
      saved_tokens: sum('saved_tokens'),
    },
    ...{ implausible: sum('implausible'), over_micro_usd: sum('over_micro_usd'), over_tokens: sum('over_tokens') },
    over_requests: sum('over_requests'),
  });
}

/** Of all runs of the trials: what was settled, and what may have been billed. */
function spendOfTrials(rows: readonly SumsRow[]): TrialSpend[] {
  const sums = new Map<string, TrialSpend>();
  for (const { owner_kind: owner, charged_sends: charged, systemId, group, micro_usd, tokens } of rows) {
    if (owner !== 'trial' || charged === 0) continue;
    const key = JSON.stringify([systemId, group]);
    const { costMicroUsd = 0, tokens: before = 0 } = sums.get(key) ?? {};
    sums.set(key, { systemId, group, costMicroUsd: costMicroUsd + micro_usd, tokens: before + tokens });
  }
  return [...sums.values()];
}

function usageIn(rows: readonly SumsRow[]): CampaignUsage['calls'] {
  const sums = new Map<string, CampaignUsage['calls'][number]>();
  for (const row of rows) {
    if (row.charged_sends === 0 && row.reused_calls === 0) continue;
    const { systemId, group, stage, purpose, model } = row;
    const key = JSON.stringify([systemId, group, stage, purpose, model]);
    const before = sums.get(key);
    sums.set(key, {
      ...{ systemId, group, stage, purpose, model },
      calls: (before?.calls ?? 0) + row.charged_calls,
      withoutUsage: (before?.withoutUsage ?? 0) + row.without_usage,
      implausible: (before?.implausible ?? 0) + row.implausible,
      tokens: (before?.tokens ?? 0) + (row.tokens ?? 0),
      costMicroUsd: (before?.costMicroUsd ?? 0) + (row.micro_usd ?? 0),
      reusedCalls: (before?.reusedCalls ?? 0) + row.reused_calls,
      savedMicroUsd: (before?.savedMicroUsd ?? 0) + (row.saved_micro_usd ?? 0),
    });
  }
  return [...sums.values()];
}
