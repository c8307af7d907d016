import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { AccountRef } from '../../../contract/stage.js';
import type { Spend } from '../../../ports/record-rows.js';
import { repeatedCallKeys } from './repeated-calls.js';

/** What {@link SPEND_COLUMNS} reads. */
export interface SpendRow {
  micro_usd: number;
  tokens: number;
  calls: number;
  repeated_calls: number;
  recovered_calls: number;
  replayed_calls: number;
  reused_calls: number;
  saved_micro_usd: number;
  saved_tokens: number;
  implausible: number;
  unanswered: number;
  over_micro_usd: number;
  over_tokens: number;
  over_requests: number;
}

/** The columns of a {@link SpendRow}, of {@link spendOf} as `p`: nothing where nothing was asked. */
export const SPEND_COLUMNS = sql`
  coalesce(p.micro_usd, 0) as micro_usd, coalesce(p.tokens, 0) as tokens, coalesce(p.calls, 0) as calls,
  coalesce(p.repeated_calls, 0) as repeated_calls, coalesce(p.recovered_calls, 0) as recovered_calls,
  coalesce(p.replayed_calls, 0) as replayed_calls, coalesce(p.reused_calls, 0) as reused_calls,
  coalesce(p.saved_micro_usd, 0) as saved_micro_usd, coalesce(p.saved_tokens, 0) as saved_tokens,
  coalesce(p.implausible, 0) as implausible, coalesce(p.unanswered, 0) as unanswered,
  coalesce(p.over_micro_usd, 0) as over_micro_usd,
  coalesce(p.over_tokens, 0) as over_tokens, coalesce(p.over_requests, 0) as over_requests`;

/** What a send is charged: a settled one what the provider said, an ambiguous one its estimate, a released or open one nothing. */
export const CHARGED = sql`s.state in ('settled', 'ambiguous')`;

/** One of the rows of a call: its first try, or the only row where nothing was sent. */
export const ONCE = sql`coalesce(s.attempt, 1) = 1`;

/** Sums over {@link CALLS_WITH_SENDS}, as {@link SpendRow} names them; calls that were sent again are not among them. */
export const SPEND_SUMS = sql`
  sum(s.actual_micro_usd) filter (where ${CHARGED})::bigint as micro_usd,
  sum(s.actual_tokens) filter (where ${CHARGED})::bigint as tokens,
  sum(greatest(s.actual_micro_usd - s.estimate_micro_usd, 0)) filter (where ${CHARGED})::bigint as over_micro_usd,
  sum(greatest(s.actual_tokens - s.estimate_tokens, 0)) filter (where ${CHARGED})::bigint as over_tokens,
  count(*) filter (where ${CHARGED} and s.is_recovered) as recovered_calls,
  count(*) filter (where ${CHARGED} and s.usage_claim is not null) as implausible,
  count(*) filter (where s.state = 'ambiguous') as unanswered,
  count(*) filter (where ${CHARGED}
    and (s.actual_micro_usd > s.estimate_micro_usd or s.actual_tokens > s.estimate_tokens)) as over_requests,
  count(*) filter (where ${ONCE} and c.state = 'answered' and c.reused_from is null) as calls,
  count(*) filter (where ${ONCE} and c.is_replayed) as replayed_calls,
  count(c.reused_from) filter (where ${ONCE}) as reused_calls,
  sum(c.saved_micro_usd) filter (where ${ONCE})::bigint as saved_micro_usd,
  sum(c.saved_tokens) filter (where ${ONCE})::bigint as saved_tokens`;

/**
 * The calls of all accounts with what was sent for each; some were answered without being sent. Read once for all sums: of
 * 300,000 calls joining them takes longer than adding them up.
 */
export const CALLS_WITH_SENDS = sql`calls c left join sends s on s.key = c.key`;

/** What the accounts of a kind whose ids a query gives have spent, a row each by `account_id`. */
export function spendOf(kind: AccountRef['kind'], ids: RawBuilder<unknown>): RawBuilder<unknown> {
  const account = sql.ref(`c.${kind}_id`);
  return sql`
    select spent.*, coalesce(again.repeated_calls, 0) as repeated_calls
    from (
      select ${account} as account_id, ${SPEND_SUMS}
      from ${CALLS_WITH_SENDS} where ${account} in (${ids}) group by 1) spent
    left join (${repeatedCalls(kind, ids)}) again on again.account_id = spent.account_id`;
}

/** How many calls of these accounts were charged more than once, a row each that has such. */
export function repeatedCalls(kind: AccountRef['kind'], ids: RawBuilder<unknown>): RawBuilder<unknown> {
  const account = sql.ref(`c.${kind}_id`);
  return sql`
    select ${account} as account_id, count(*) as repeated_calls
    from (${repeatedCallKeys()}) r join calls c on c.key = r.key where ${account} in (${ids}) group by 1`;
}

/** The row in the words of the port. */
export function toSpend(row: SpendRow): Spend {
  return {
    ...{ microUsd: row.micro_usd, tokens: row.tokens, calls: row.calls, repeatedCalls: row.repeated_calls },
    recoveredCalls: row.recovered_calls,
    replayedCalls: row.replayed_calls,
    reusedCalls: row.reused_calls,
    saved: { microUsd: row.saved_micro_usd, tokens: row.saved_tokens },
    ...{ implausible: row.implausible, unanswered: row.unanswered },
    overshoot: { microUsd: row.over_micro_usd, tokens: row.over_tokens, requests: row.over_requests },
  };
}
