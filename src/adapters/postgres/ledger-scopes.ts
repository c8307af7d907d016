import { sql, type Kysely, type Transaction } from 'kysely';
import type { AmountLimit, BudgetScope, Reservation } from '../../ports/ledger.js';
import type { LedgerTables } from './ledger-tables.js';

/** One budget a call counts in: its row, where there is one. */
export interface Budget {
  scope: BudgetScope;
  /** Key of its row. */
  name: string;
  /** What the row is opened with by its first reservation; null: from the campaign's spec, or never (installation). */
  limit: AmountLimit | null;
}

/** The budget that every call of every campaign counts in, if the operator set one. */
export const INSTALLATION: Budget = { scope: 'installation', name: 'installation', limit: null };

/** The budget row of a campaign. */
export function campaignBudget(campaignId: string): Budget {
  return { scope: 'campaign', name: `campaign:${campaignId}`, limit: null };
}

/** Budgets of a reservation, narrow to wide, without the installation's. */
export function budgetsOf({ campaignId, systemLimits = [] }: Reservation): Budget[] {
  const own = systemLimits.map(({ scope, id, limit }): Budget => ({ scope, name: `${scope}:${id}`, limit }));
  return [...own, campaignBudget(campaignId)];
}

/** What a budget says to an estimate. */
export type BudgetAnswer = 'reserved' | 'exhausted' | 'contended';

/** A row may be opened, or money come back, between two looks: then it is tried again, but not for ever. */
const TRIES = 4;

/** Reserves in one budget; opens its row when this is the first reservation. */
export async function reserveIn(
  transaction: Transaction<LedgerTables>,
  budget: Budget,
  call: Reservation,
): Promise<BudgetAnswer> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await take(transaction, budget, call)) return 'reserved';
    const state = await look(transaction, budget, call);
    if (state === 'exhausted' || state === 'contended') return state;
    if (state === 'missing' && !(await open(transaction, budget, call.campaignId))) return 'reserved';
  }
  return 'contended';
}

async function take(transaction: Transaction<LedgerTables>, { name }: Budget, call: Reservation): Promise<boolean> {
  const { microUsd, tokens } = call.estimate;
  const { numAffectedRows } = await sql`
    update budgets set
      reserved_micro_usd = reserved_micro_usd + ${microUsd}::bigint,
      reserved_tokens = reserved_tokens + ${tokens}::bigint
    where scope = ${name}
      and (limit_micro_usd is null or settled_micro_usd + reserved_micro_usd + ${microUsd}::bigint <= limit_micro_usd)
      and (limit_tokens is null or settled_tokens + reserved_tokens + ${tokens}::bigint <= limit_tokens)`.execute(
    transaction,
  );
  return numAffectedRows === 1n;
}

/** Why the row refused: what is settled decides, since what is only reserved may come back. */
async function look(
  transaction: Transaction<LedgerTables>,
  { name }: Budget,
  call: Reservation,
): Promise<'exhausted' | 'contended' | 'missing' | 'room'> {
  const { microUsd, tokens } = call.estimate;
  const { rows } = await sql<{ state: 'exhausted' | 'contended' | 'room' }>`
    select case
      when settled_micro_usd + ${microUsd}::bigint > limit_micro_usd or settled_tokens + ${tokens}::bigint > limit_tokens
        then 'exhausted'
      when settled_micro_usd + reserved_micro_usd + ${microUsd}::bigint > limit_micro_usd
        or settled_tokens + reserved_tokens + ${tokens}::bigint > limit_tokens then 'contended'
      else 'room' end as state
    from budgets where scope = ${name}`.execute(transaction);
  return rows[0]?.state ?? 'missing';
}

/**
 * Opens a row. A campaign's is opened limit or not: a limit set later then only has to be written. A system's own are
 * opened where there is a limit, which never changes; the installation's only by the operator.
 * @returns false where the budget has no row by right
 */
async function open(tables: Kysely<LedgerTables>, budget: Budget, campaignId: string): Promise<boolean> {
  const { scope, name, limit } = budget;
  if (scope === 'installation') return false;
  if (limit !== null)
    await sql`
      insert into budgets (scope, limit_micro_usd, limit_tokens) values (${name}, ${limit.microUsd}, ${limit.tokens})
      on conflict (scope) do nothing`.execute(tables);
  else
    await sql`
      insert into budgets (scope, limit_micro_usd, limit_tokens, soft_micro_usd, soft_tokens)
      select ${name}, usd, tokens, floor(usd * soft), floor(tokens * soft)
      from (select round((spec #>> '{budget,usd}')::numeric * 1000000) as usd,
          (spec #>> '{budget,tokens}')::numeric as tokens, (spec #>> '{budget,soft}')::numeric as soft
        from campaigns where id = ${campaignId}) as budget
      on conflict (scope) do nothing`.execute(tables);
  return true;
}
