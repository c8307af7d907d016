import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import type { OwnerRef } from '../../../contract/stage.js';
import { WITH_MEMORY } from '../schema/reading.js';
import type { Tables } from '../schema/tables.js';
import { CALLS_WITH_SENDS, CHARGED, ONCE, repeatedCalls, SPEND_SUMS, type SpendRow } from './account-spend.js';

/** What the calls of a campaign come to; {@link SpendRow.calls} are those that were answered. */
export interface SumsRow extends Omit<SpendRow, 'repeated_calls'> {
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

/** Sums of the calls of a campaign, and how many of these were charged more than once. */
export interface CallSums {
  calls: SumsRow[];
  repeated_calls: number;
}

/** A send that was answered without usage: it counts at its estimate. */
const UNREPORTED = sql`s.state = 'settled' and not s.usage_reported and s.usage_claim is null`;

function summedCalls(campaignId: string): RawBuilder<SumsRow> {
  // Few calls were sent again. What is asked of their sends is joined: a subquery in a sum would keep Postgres from adding
  // up on several cores.
  const isFirst = (attempt: string): RawBuilder<unknown> => sql`(r.key is null or s.attempt = ${sql.ref(attempt)})`;
  return sql<SumsRow>`
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
    group by 1, 2, 3, 4, 5, 6 order by 1, 3, 4, 5, 2`;
}

/** What each trial cost: `trial_id`, `micro_usd`, `tokens`, `reused_calls`. @param chosen a condition over `calls c` */
export function trialCosts(chosen: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select c.owner_id as trial_id, sum(s.actual_micro_usd) filter (where ${CHARGED})::bigint as micro_usd,
      sum(s.actual_tokens) filter (where ${CHARGED})::bigint as tokens,
      count(c.reused_from) filter (where ${ONCE}) as reused_calls
    from ${CALLS_WITH_SENDS} where ${chosen} and c.owner_kind = 'trial' group by c.owner_id`;
}

const again = (campaignId: string): RawBuilder<unknown> => repeatedCalls('campaign', sql`select ${campaignId}::text`);

const costsIn = (campaignId: string): RawBuilder<unknown> => trialCosts(sql`c.campaign_id = ${campaignId}`);

/** The row of `kept_sums k` that holds the sums of the calls as they are now. */
function current(kysely: Kysely<Tables>, campaignId: string): RawBuilder<unknown> {
  return sql`kept_sums k join budgets b on b.scope = 'campaign:' || k.campaign_id and b.changes = k.changes
    where k.campaign_id = ${campaignId} and k.queries = ${queriesHash(kysely)}`;
}

/** Sums of other queries are not these. */
function queriesHash(kysely: Kysely<Tables>): string {
  const queries = [summedCalls(''), again(''), costsIn('')];
  return sha256Hex(queries.map((query) => query.compile(kysely).sql).join(';'));
}

/**
 * Sums the calls of a campaign that has ended and keeps it, where that is not done (decision 0090). Whatever changes a sum
 * counts as a change of the campaign's budget in the same transaction, so that equal counts mean equal sums.
 */
export async function keepSums(kysely: Kysely<Tables>, campaignId: string): Promise<void> {
  await kysely.transaction().execute(async (transaction) => {
    await WITH_MEMORY.execute(transaction);
    const costs = (column: string): RawBuilder<unknown> => sql`(select array_agg(${sql.ref(column)}) from costs)`;
    // One statement, so one snapshot: of the count, and of what is summed.
    await sql`
      with costs as materialized (${costsIn(campaignId)})
      insert into kept_sums (campaign_id, changes, queries, calls, repeated_calls, trial_ids, micro_usd, tokens,
        reused_calls)
      select c.id, b.changes, ${queriesHash(kysely)},
        (select coalesce(json_agg(sums), '[]') from (${summedCalls(campaignId)}) sums),
        coalesce((select repeated_calls from (${again(campaignId)}) again), 0),
        ${costs('trial_id')}, ${costs('micro_usd')}, ${costs('tokens')}, ${costs('reused_calls')}
      from campaigns c join budgets b on b.scope = 'campaign:' || c.id
      where c.id = ${campaignId} and c.ended_as is not null and not exists (select from ${current(kysely, campaignId)})
      for key share of c
      on conflict (campaign_id) do update set changes = excluded.changes, queries = excluded.queries,
        calls = excluded.calls, repeated_calls = excluded.repeated_calls, trial_ids = excluded.trial_ids,
        micro_usd = excluded.micro_usd, tokens = excluded.tokens, reused_calls = excluded.reused_calls`.execute(
      transaction,
    );
  });
}

/** The kept sums where they are those of the calls as they are, else what the calls come to. */
export async function readSums(transaction: Transaction<Tables>, campaignId: string): Promise<CallSums> {
  const kept = await sql<CallSums>`
    select k.calls, k.repeated_calls from ${current(transaction, campaignId)}`.execute(transaction);
  if (kept.rows[0] !== undefined) return kept.rows[0];
  const { rows: calls } = await summedCalls(campaignId).execute(transaction);
  const repeated = await sql<{ repeated_calls: number }>`${again(campaignId)}`.execute(transaction);
  return { calls, repeated_calls: repeated.rows[0]?.repeated_calls ?? 0 };
}

/** {@link trialCosts} of a campaign, read in the same way. */
export function campaignCosts(kysely: Kysely<Tables>, campaignId: string): RawBuilder<unknown> {
  const found = current(kysely, campaignId);
  return sql`
    select cost.* from (select k.* from ${found}) k
    cross join unnest(k.trial_ids, k.micro_usd, k.tokens, k.reused_calls) cost (trial_id, micro_usd, tokens, reused_calls)
    union all
    select * from (${costsIn(campaignId)}) summed where not exists (select from ${found})`;
}
