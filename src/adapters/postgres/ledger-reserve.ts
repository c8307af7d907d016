import { sql, type Kysely, type Transaction } from 'kysely';
import type { Reservation, ReserveResult } from '../../ports/ledger.js';
import { endAbandonedSends } from './ledger-ends.js';
import { budgetsOf, INSTALLATION, reserveIn } from './ledger-scopes.js';
import type { LedgerTables } from './ledger-tables.js';

type Refusal = Exclude<ReserveResult, { status: 'reserved' }>;

/** A reservation that is not to be: rolls its transaction back. */
class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.status);
  }
}

/** The reserve transaction of money-and-records.md §1: epoch, send, then the budget rows, narrow to wide. */
export async function reserve(tables: Kysely<LedgerTables>, reservation: Reservation): Promise<ReserveResult> {
  try {
    const attempt = await tables.transaction().execute(async (transaction) => {
      await openCall(transaction, reservation);
      const send = await insertSend(transaction, reservation);
      const budgets = budgetsOf(reservation);
      for (const budget of send.hasInstallationLimit ? [...budgets, INSTALLATION] : budgets) {
        const status = await reserveIn(transaction, budget, reservation);
        if (status !== 'reserved') throw new Refused({ status, scope: budget.scope });
      }
      return send.attempt;
    });
    return { status: 'reserved', attempt };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await consequences(tables, error.refusal, reservation);
    return error.refusal;
  }
}

async function consequences(tables: Kysely<LedgerTables>, refusal: Refusal, call: Reservation): Promise<void> {
  if (refusal.status === 'exhausted' && isOperators(refusal.scope)) await markExhausted(tables, call);
  if (refusal.status !== 'contended') return;
  // What dead workers still hold would make everybody wait for a settle that never comes.
  const campaignId = refusal.scope === 'installation' ? null : call.campaignId;
  await endAbandonedSends(tables, { campaignId });
}

function isOperators(scope: Extract<Refusal, { status: 'exhausted' }>['scope']): boolean {
  return scope === 'campaign' || scope === 'installation';
}

/**
 * Inserts the call, or locks it, if the epoch is the campaign's. The transaction does not wait for its own flush to
 * disk: `markSent` does, and it flushes all that was written before it, still before the request goes out.
 */
async function openCall(transaction: Transaction<LedgerTables>, call: Reservation): Promise<void> {
  const scopes = budgetsOf(call).map(({ name }) => name);
  const { rows } = await sql<{ state: string }>`
    insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, scopes)
    select ${call.key}, id, ${call.owner.kind}, ${call.owner.id}, ${call.stage}, ${call.step}, ${call.purpose},
      ${call.model}, ${JSON.stringify(call.requestRef)}::jsonb, ${scopes}::text[]
    from campaigns, set_config('synchronous_commit', 'off', true)
    where id = ${call.campaignId} and epoch = ${call.epoch}
    on conflict (key) do update set state = calls.state
    returning state`.execute(transaction);
  const state = rows[0]?.state;
  if (state === undefined) throw new Refused({ status: 'superseded' });
  if (state === 'answered') throw new Refused({ status: 'in-flight' });
}

/** Asks for the installation's limit only here: whoever opens that row locks `sends`, so nobody misses it. */
async function insertSend(
  transaction: Transaction<LedgerTables>,
  call: Reservation,
): Promise<{ attempt: number; hasInstallationLimit: boolean }> {
  const { rows } = await sql<{ attempt: number; installation: boolean }>`
    insert into sends (key, attempt, estimate_micro_usd, estimate_tokens, worker)
    select ${call.key}, coalesce(max(attempt), 0) + 1, ${call.estimate.microUsd}, ${call.estimate.tokens}, ${call.worker}
    from sends where key = ${call.key}
    having count(*) filter (where state in ('reserved', 'sent')) = 0
    returning attempt, exists(select from budgets where scope = ${INSTALLATION.name}) as installation`.execute(
    transaction,
  );
  if (rows[0] === undefined) throw new Refused({ status: 'in-flight' });
  return { attempt: rows[0].attempt, hasInstallationLimit: rows[0].installation };
}

/** From here on, claims answer stop. */
async function markExhausted(tables: Kysely<LedgerTables>, call: Reservation): Promise<void> {
  await sql`
    update campaigns set budget_exhausted_at = now()
    where id = ${call.campaignId} and epoch = ${call.epoch} and budget_exhausted_at is null`.execute(tables);
}
