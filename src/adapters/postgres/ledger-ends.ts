import { sql, type Kysely } from 'kysely';
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

/** The budget row of a campaign. */
export function budgetScope(campaignId: string): string {
  return `campaign:${campaignId}`;
}

/**
 * Ends a send and moves its money, in one statement. Once: an open send ends in any state, an ended one only becomes
 * settled when an answer came late after all; then the difference moves.
 */
export async function endSend(tables: Kysely<LedgerTables>, end: SendEnd): Promise<void> {
  const endable = end.to === 'settled' ? ['reserved', 'sent', 'ambiguous', 'released'] : ['reserved', 'sent'];
  const share = end.to === 'released' ? 0 : 1;
  await sql`
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
}

/**
 * Ends what a dead worker left of a call, or of a whole campaign: never sent → released, sent → ambiguous, settled at
 * its estimate. `worker` is the caller itself: what it left open of this call counts as abandoned too.
 */
export async function endAbandonedSends(
  tables: Kysely<LedgerTables>,
  what: { key: string; worker: string } | { campaignId: string },
): Promise<void> {
  const scope =
    'key' in what
      ? sql`s.key = ${what.key}`
      : sql`s.key in (select key from calls where campaign_id = ${what.campaignId})`;
  const own = 'key' in what ? sql`s.worker = ${what.worker} or` : sql``;
  await sql`
    with old as (
      select s.* from sends s
      where ${scope} and s.state in ('reserved', 'sent') and (${own} not exists (
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

/** Takes what `ended` had reserved out of the counters, and puts in what it was charged beyond what it had been. */
const moveMoney = sql`
  update budgets set
    reserved_micro_usd = reserved_micro_usd - moved.freed_micro_usd,
    reserved_tokens = reserved_tokens - moved.freed_tokens,
    settled_micro_usd = settled_micro_usd + moved.more_micro_usd,
    settled_tokens = settled_tokens + moved.more_tokens
  from (
    select 'campaign:' || calls.campaign_id as scope,
      coalesce(sum(estimate_micro_usd) filter (where old_state in ('reserved', 'sent')), 0) as freed_micro_usd,
      coalesce(sum(estimate_tokens) filter (where old_state in ('reserved', 'sent')), 0) as freed_tokens,
      sum(more_micro_usd) as more_micro_usd,
      sum(more_tokens) as more_tokens
    from ended join calls on calls.key = ended.key group by calls.campaign_id
  ) as moved
  where budgets.scope = moved.scope`;
