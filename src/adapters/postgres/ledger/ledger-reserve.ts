import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { AmountLimit, BudgetScope, BudgetStanding, Reservation, ReserveResult } from '../../../ports/ledger.js';
import { budgetsOf, INSTALLATION, type Budget } from './ledger-scopes.js';
import type { LedgerTables } from '../schema/ledger-tables.js';

/** The reserve transaction; of a batched send, with the mark that no worker holds it. */
export async function reserve(tables: Kysely<LedgerTables>, call: Reservation): Promise<ReserveResult> {
  if (call.isBatched !== true) return reserveSend(tables, call);
  return tables.transaction().execute(async (transaction) => {
    const result = await reserveSend(transaction, call);
    if (result.status === 'reserved')
      await sql`
        update sends set is_batched = true where key = ${call.key} and attempt = ${result.attempt}`.execute(
        transaction,
      );
    return result;
  });
}

/** `reserve_send`, as migration 026 left it. */
async function reserveSend(tables: Kysely<LedgerTables>, call: Reservation): Promise<ReserveResult> {
  const { account, owner, stage, step, purpose, model, requestRef, estimate } = call;
  const document = {
    accountKind: account.kind,
    ownerKind: owner.kind,
    ownerId: owner.id,
    stage,
    step,
    purpose,
    model,
    requestRef,
    question: call.question ?? null,
  };
  const { rows } = await sql<{ status: ReserveResult['status']; scope: BudgetScope; attempt: number }>`
    select status, scope, attempt from reserve_send(${call.key}, ${account.id}, ${call.epoch},
      ${JSON.stringify(document)}::jsonb, ${JSON.stringify(budgetsOf(call))}::jsonb,
      ${estimate.microUsd}, ${estimate.tokens}, ${call.worker})`.execute(tables);
  const { status, scope, attempt } = rows[0]!;
  switch (status) {
    case 'reserved':
      return { status, attempt };
    case 'exhausted':
      return { status, scope, budget: await standingOf(tables, call, scope) };
    case 'contended':
      return { status, scope };
    case 'superseded':
    case 'in-flight':
      return { status };
  }
}

/** Where the budget stands that refused a call, read right after it did. */
async function standingOf(
  tables: Kysely<LedgerTables>,
  call: Reservation,
  scope: BudgetScope,
): Promise<BudgetStanding> {
  const budget = budgetsOf(call).find((each) => each.scope === scope);
  const row = await tables
    .selectFrom('budgets')
    .selectAll()
    .where('scope', '=', budget?.name ?? INSTALLATION)
    .executeTakeFirst();
  if (row !== undefined)
    return {
      limit: { microUsd: row.limit_micro_usd, tokens: row.limit_tokens },
      settled: { microUsd: row.settled_micro_usd, tokens: row.settled_tokens },
      reserved: { microUsd: row.reserved_micro_usd, tokens: row.reserved_tokens },
    };
  // Its row is opened by the first call that it allows.
  const nothing = { microUsd: 0, tokens: 0 };
  return { limit: await unopenedLimit(tables, call, budget), settled: nothing, reserved: nothing };
}

async function unopenedLimit(
  tables: Kysely<LedgerTables>,
  { account }: Reservation,
  budget: Budget | undefined,
): Promise<AmountLimit> {
  if (budget?.scope !== account.kind) return { microUsd: budget?.microUsd ?? null, tokens: budget?.tokens ?? null };
  const { rows } = await sql<AmountLimit>`
    select round((budget ->> 'usd')::numeric * 1000000)::bigint as "microUsd", (budget ->> 'tokens')::bigint as tokens
    from accounts where kind = ${account.kind} and id = ${account.id}`.execute(tables);
  return rows[0] ?? { microUsd: null, tokens: null };
}
