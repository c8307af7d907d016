import type { Kysely, RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { OwnerRef } from '../../../contract/stage.js';
import type { Spend } from '../../../ports/record-rows.js';
import type { CampaignUsage, Records, TrialSpend } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import type { Tables } from '../schema/tables.js';
import { toSpend, type SpendRow } from './account-spend.js';
import { keepSums, readSums, type SumsRow } from './kept-sums.js';

/** How long the stages of a campaign took, summed by Postgres: a campaign may have 100,000 trials. */
export function stageTimes({ kysely }: Database): Pick<Records, 'stageTimes'> {
  return {
    stageTimes: (campaignId) =>
      reading(kysely, async (transaction) => {
        // The group of a trial is found once, not for each of its attempts.
        const attemptsOf = (kind: OwnerRef['kind']): RawBuilder<unknown> => sql`
          select o.system_id as "systemId", o.group_name as "group", a.owner_kind as owner, a.stage, count(*) as attempts,
            extract(epoch from sum(a.ended_at - a.started_at))::float8 as "wallSeconds"
          from ${sql.table(`own_${kind}s`)} o join attempts a on a.owner_kind = ${kind} and a.owner_id = o.id
          group by 1, 2, 3, 4`;
        const { rows } = await sql<CampaignUsage['stages'][number]>`
          with own_trials as materialized (
            select t.id, t.system_id, coalesce(k.task_group, '') as group_name
            from trials t left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
            where t.campaign_id = ${campaignId}),
          own_generations as (select id, system_id, scope as group_name from generations where campaign_id = ${campaignId})
          ${attemptsOf('trial')} union all ${attemptsOf('generation')} order by 1, 3, 4, 2`.execute(transaction);
        return rows;
      }),
  };
}

/** What the calls of a campaign come to. */
interface CallTotals {
  /** Of the campaign. */
  spend: Spend;
  /** Of its trials, in no order. */
  ofTrials: TrialSpend[];
  usage: CampaignUsage['calls'];
}

/** Sums of its calls, which are read once for all of them, and of a campaign that has ended once for all. */
export async function callTotals(kysely: Kysely<Tables>, campaignId: string): Promise<CallTotals> {
  // Where a full disk or a role that only reads keeps them from being written, they are summed again.
  await keepSums(kysely, campaignId).catch(() => undefined);
  const { calls, repeated_calls } = await reading(kysely, (transaction) => readSums(transaction, campaignId));
  return { spend: spendIn(calls, repeated_calls), ofTrials: spendOfTrials(calls), usage: usageIn(calls) };
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
    ...{ over_requests: sum('over_requests'), unanswered: sum('unanswered') },
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
