import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { BudgetSpec } from '../../contract/campaign.js';
import { microUsd } from '../../domain/prices.js';
import { writeLimit } from './ledger-limits.js';
import { campaignBudget } from './ledger-scopes.js';
import type { LedgerTables } from './ledger-tables.js';
import type { Tables } from './tables.js';

/** Writes a campaign's limits where people read them and where calls are admitted; its row is locked by the caller. */
export async function writeBudget(
  transaction: Transaction<Tables>,
  campaignId: string,
  budget: BudgetSpec,
): Promise<void> {
  const { usd, tokens, soft = null } = budget;
  const limit = { microUsd: usd === null ? null : microUsd(usd), tokens, soft };
  await writeLimit(transaction as unknown as Kysely<LedgerTables>, campaignBudget(campaignId), limit);
  await sql`
    update campaigns set spec = jsonb_set(spec, '{budget}', ${JSON.stringify(budget)}::jsonb),
      budget_exhausted_at = ${softLimitReached()}
    where id = ${campaignId}`.execute(transaction);
}

/**
 * When the budget of a row of `campaigns` stops it from the start, else null. Only a soft limit does: at a hard one the
 * next reservation finds out by itself, and until then what costs nothing may run.
 */
export function softLimitReached(): RawBuilder<string | null> {
  return sql`(select now() from budgets b where b.scope = 'campaign:' || campaigns.id
    and (b.settled_micro_usd >= b.soft_micro_usd or b.settled_tokens >= b.soft_tokens))`;
}
