import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Amount } from '../../ports/ledger.js';
import type { LedgerTables } from './ledger-tables.js';

/** How a send ends. */
export interface SendEnd {
  key: string;
  attempt: number;
  to: 'settled' | 'released' | 'ambiguous';
  /** null: nothing for a released send, the estimate for an ambiguous one. */
  actual: Amount | null;
  usageReported: boolean;
  providerRequestId: string | null;
  reason: string | null;
}

/**
 * Ends a send and moves its money, in one statement. Once: an open send ends in any state, an ended one only becomes
 * settled when an answer came late after all; then the difference moves.
 * @returns true when a soft limit is reached
 */
export async function endSend(tables: Kysely<LedgerTables>, end: SendEnd): Promise<boolean> {
  const endable = end.to === 'settled' ? ['reserved', 'sent', 'ambiguous', 'released'] : ['reserved', 'sent'];
  const share = end.to === 'released' ? 0 : 1;
  const { rows } = await sql<{ soft: boolean | null }>`
    with old as (
      select * from sends where key = ${end.key} and attempt = ${end.attempt} and state = any(${endable}) for update
    ), ended as (
      update sends set
        state = ${end.to},
        actual_micro_usd = coalesce(${end.actual?.microUsd ?? null}::bigint, old.estimate_micro_usd * ${share}::int),
        actual_tokens = coalesce(${end.actual?.tokens ?? null}::bigint, old.estimate_tokens * ${share}::int),
        usage_reported = ${end.usageReported},
        provider_request_id = ${end.providerRequestId},
        reason = ${end.reason},
        ended_at = now()
      from old where sends.key = old.key and sends.attempt = old.attempt
      returning sends.key, old.state as old_state, old.estimate_micro_usd, old.estimate_tokens,
        sends.actual_micro_usd - coalesce(old.actual_micro_usd, 0) as more_micro_usd,
        sends.actual_tokens - coalesce(old.actual_tokens, 0) as more_tokens
    )
    ${moveMoney}`.execute(tables);
  return rows.some(({ soft }) => soft === true);
}

/**
 * Ends what dead workers left of a call, of a campaign or everywhere: never sent → released, sent → ambiguous, settled at
 * its estimate. `worker` is the caller itself: what it left open of this call counts as abandoned too.
 */
export async function endAbandonedSends(
  tables: Kysely<LedgerTables>,
  what: { key: string; worker: string } | { campaignId: string | null },
): Promise<void> {
  const own = 'key' in what ? sql`s.worker = ${what.worker} or` : sql``;
  await sql`
    with old as (
      select s.* from sends s
      where ${selected(what)} and s.state in ('reserved', 'sent') and (${own} not exists (
        select 1 from workers w where w.instance = s.worker and w.retired_at is null and w.lease_until > now()))
      order by s.key for update skip locked
    ), ended as (
      update sends set
        state = case old.state when 'sent' then 'ambiguous' else 'released' end,
        actual_micro_usd = case old.state when 'sent' then old.estimate_micro_usd else 0 end,
        actual_tokens = case old.state when 'sent' then old.estimate_tokens else 0 end,
        usage_reported = false,
        reason = 'the worker ended before the answer came',
        ended_at = now()
      from old where sends.key = old.key and sends.attempt = old.attempt
      returning sends.key, old.state as old_state, old.estimate_micro_usd, old.estimate_tokens,
        sends.actual_micro_usd as more_micro_usd, sends.actual_tokens as more_tokens
    )
    ${moveMoney}`.execute(tables);
}

function selected(what: { key: string } | { campaignId: string | null }): RawBuilder<unknown> {
  if ('key' in what) return sql`s.key = ${what.key}`;
  if (what.campaignId === null) return sql`true`;
  return sql`s.key in (select key from calls where campaign_id = ${what.campaignId})`;
}

/**
 * Takes what `ended` had reserved out of the counters of every budget its calls count in, narrow to wide, and puts in
 * what it was charged beyond what it had been.
 */
const moveMoney = sql`
  select move_money(scope, freed_micro_usd, freed_tokens, more_micro_usd, more_tokens) as soft
  from (
    select scope,
      coalesce(sum(estimate_micro_usd) filter (where old_state in ('reserved', 'sent')), 0)::bigint as freed_micro_usd,
      coalesce(sum(estimate_tokens) filter (where old_state in ('reserved', 'sent')), 0)::bigint as freed_tokens,
      sum(more_micro_usd)::bigint as more_micro_usd,
      sum(more_tokens)::bigint as more_tokens
    from ended join calls on calls.key = ended.key
    cross join lateral unnest(
      coalesce(calls.scopes, array['campaign:' || calls.campaign_id]) || array['installation']) as scope
    group by scope order by budget_width(scope), scope
  ) as moved`;
