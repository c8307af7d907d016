import { sql, type Kysely } from 'kysely';
import type { BudgetScope, Reservation, ReserveResult } from '../../../ports/ledger.js';
import { budgetsOf } from './ledger-scopes.js';
import type { LedgerTables } from '../schema/ledger-tables.js';

/** The reserve transaction (`reserve_send`, as migration 021 left it). */
export async function reserve(tables: Kysely<LedgerTables>, call: Reservation): Promise<ReserveResult> {
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
    case 'contended':
      return { status, scope };
    case 'superseded':
    case 'in-flight':
      return { status };
  }
}
