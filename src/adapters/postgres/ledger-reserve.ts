import { sql, type Kysely, type Transaction } from 'kysely';
import type { Reservation, ReserveResult } from '../../ports/ledger.js';
import { budgetScope, endAbandonedSends } from './ledger-ends.js';
import type { LedgerTables } from './ledger-tables.js';

/** A reservation that is not to be: rolls its transaction back. */
class Refused extends Error {
  constructor(readonly status: Exclude<ReserveResult['status'], 'reserved'>) {
    super(status);
  }
}

/** The reserve transaction of money-and-records.md §1: epoch, send, then the budget row, which everybody wants, last. */
export async function reserve(tables: Kysely<LedgerTables>, reservation: Reservation): Promise<ReserveResult> {
  try {
    const attempt = await tables.transaction().execute(async (transaction) => {
      await openCall(transaction, reservation);
      const sent = await insertSend(transaction, reservation);
      await takeMoney(transaction, reservation);
      return sent;
    });
    return { status: 'reserved', attempt };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 'exhausted') await markExhausted(tables, reservation);
    // What dead workers still hold would make everybody wait for a settle that never comes.
    if (error.status === 'contended') await endAbandonedSends(tables, { campaignId: reservation.campaignId });
    return { status: error.status };
  }
}

/**
 * Inserts the call, or locks it, if the epoch is the campaign's. The transaction does not wait for its own flush to
 * disk: `markSent` does, and it flushes all that was written before it, still before the request goes out.
 */
async function openCall(transaction: Transaction<LedgerTables>, call: Reservation): Promise<void> {
  const { rows } = await sql<{ state: string }>`
    insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref)
    select ${call.key}, id, ${call.owner.kind}, ${call.owner.id}, ${call.stage}, ${call.step}, ${call.purpose},
      ${call.model}, ${JSON.stringify(call.requestRef)}::jsonb
    from campaigns, set_config('synchronous_commit', 'off', true)
    where id = ${call.campaignId} and epoch = ${call.epoch}
    on conflict (key) do update set state = calls.state
    returning state`.execute(transaction);
  const state = rows[0]?.state;
  if (state === undefined) throw new Refused('superseded');
  if (state === 'answered') throw new Refused('in-flight');
}

async function insertSend(transaction: Transaction<LedgerTables>, call: Reservation): Promise<number> {
  const { rows } = await sql<{ attempt: number }>`
    insert into sends (key, attempt, estimate_micro_usd, estimate_tokens, worker)
    select ${call.key}, coalesce(max(attempt), 0) + 1, ${call.estimate.microUsd}, ${call.estimate.tokens}, ${call.worker}
    from sends where key = ${call.key}
    having count(*) filter (where state in ('reserved', 'sent')) = 0
    returning attempt`.execute(transaction);
  const attempt = rows[0]?.attempt;
  if (attempt === undefined) throw new Refused('in-flight');
  return attempt;
}

async function takeMoney(transaction: Transaction<LedgerTables>, call: Reservation): Promise<void> {
  if (await reserveIn(transaction, call)) return;
  await openBudget(transaction, call.campaignId);
  if (await reserveIn(transaction, call)) return;
  const { rows } = await sql<{ exhausted: boolean }>`
    select coalesce(settled_micro_usd + ${call.estimate.microUsd}::bigint > limit_micro_usd, false)
        or coalesce(settled_tokens + ${call.estimate.tokens}::bigint > limit_tokens, false) as exhausted
    from budgets where scope = ${budgetScope(call.campaignId)}`.execute(transaction);
  throw new Refused(rows[0]?.exhausted ? 'exhausted' : 'contended');
}

async function reserveIn(transaction: Transaction<LedgerTables>, call: Reservation): Promise<boolean> {
  const { microUsd, tokens } = call.estimate;
  const { numAffectedRows } = await sql`
    update budgets set
      reserved_micro_usd = reserved_micro_usd + ${microUsd}::bigint,
      reserved_tokens = reserved_tokens + ${tokens}::bigint
    where scope = ${budgetScope(call.campaignId)}
      and (limit_micro_usd is null or settled_micro_usd + reserved_micro_usd + ${microUsd}::bigint <= limit_micro_usd)
      and (limit_tokens is null or settled_tokens + reserved_tokens + ${tokens}::bigint <= limit_tokens)`.execute(
    transaction,
  );
  return numAffectedRows === 1n;
}

/** A campaign's budget row is opened by its first reservation, from the spec, limit or not: so a limit set later only has to be written. */
async function openBudget(transaction: Transaction<LedgerTables>, campaignId: string): Promise<void> {
  await sql`
    insert into budgets (scope, limit_micro_usd, limit_tokens)
    select ${budgetScope(campaignId)}, round((spec #>> '{budget,usd}')::numeric * 1000000),
      (spec #>> '{budget,tokens}')::bigint
    from campaigns where id = ${campaignId}
    on conflict (scope) do nothing`.execute(transaction);
}

/** From here on, claims answer stop. */
async function markExhausted(tables: Kysely<LedgerTables>, call: Reservation): Promise<void> {
  await sql`
    update campaigns set budget_exhausted_at = now()
    where id = ${call.campaignId} and epoch = ${call.epoch} and budget_exhausted_at is null`.execute(tables);
}
