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
  coalesce(p.implausible, 0) as implausible, coalesce(p.over_micro_usd, 0) as over_micro_usd,
  coalesce(p.over_tokens, 0) as over_tokens, coalesce(p.over_requests, 0) as over_requests`;

/**
 * What the accounts of a kind whose ids a query gives have spent, a row each by `account_id`. A settled send costs what the
 * provider said, an ambiguous one its estimate, a released or open one nothing.
 */
export function spendOf(kind: AccountRef['kind'], ids: RawBuilder<unknown>): RawBuilder<unknown> {
  const account = sql.ref(`c.${kind}_id`);
  return sql`
    select coalesce(charged.account_id, asked.account_id) as account_id, charged.micro_usd, charged.tokens,
      charged.over_micro_usd, charged.over_tokens, charged.over_requests, charged.recovered_calls, charged.implausible, asked.calls, asked.repeated_calls,
      asked.replayed_calls, asked.reused_calls, asked.saved_micro_usd, asked.saved_tokens
    from (
      select ${account} as account_id, sum(s.actual_micro_usd)::bigint as micro_usd, sum(s.actual_tokens)::bigint as tokens,
        sum(greatest(s.actual_micro_usd - s.estimate_micro_usd, 0))::bigint as over_micro_usd,
        sum(greatest(s.actual_tokens - s.estimate_tokens, 0))::bigint as over_tokens,
        count(*) filter (where s.is_recovered) as recovered_calls,
        count(*) filter (where s.usage_claim is not null) as implausible,
        count(*) filter (where s.actual_micro_usd > s.estimate_micro_usd or s.actual_tokens > s.estimate_tokens)
          as over_requests
      from sends s join calls c on c.key = s.key
      where ${account} in (${ids}) and s.state in ('settled', 'ambiguous') group by 1) charged
    full join (
      select ${account} as account_id,
        count(*) filter (where c.state = 'answered' and c.reused_from is null) as calls, count(r.key) as repeated_calls,
        count(*) filter (where c.is_replayed) as replayed_calls, count(c.reused_from) as reused_calls,
        sum(c.saved_micro_usd)::bigint as saved_micro_usd, sum(c.saved_tokens)::bigint as saved_tokens
      from calls c
      left join (${repeatedCallKeys()}) r on r.key = c.key
      where ${account} in (${ids}) group by 1) asked on asked.account_id = charged.account_id`;
}

/** The row in the words of the port. */
export function toSpend(row: SpendRow): Spend {
  return {
    ...{ microUsd: row.micro_usd, tokens: row.tokens, calls: row.calls, repeatedCalls: row.repeated_calls },
    recoveredCalls: row.recovered_calls,
    replayedCalls: row.replayed_calls,
    reusedCalls: row.reused_calls,
    saved: { microUsd: row.saved_micro_usd, tokens: row.saved_tokens },
    implausible: row.implausible,
    overshoot: { microUsd: row.over_micro_usd, tokens: row.over_tokens, requests: row.over_requests },
  };
}
