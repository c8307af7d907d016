import type { Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { BudgetSpec, InstallationBudget } from '../../../contract/campaign.js';
import { microUsd } from '../../../domain/limits/prices.js';
import { writeInstallationLimit, writeLimit, type SoftLimit } from '../ledger/ledger-limits.js';
import { accountBudget } from '../ledger/ledger-scopes.js';
import { ledgerTables } from '../schema/ledger-tables.js';
import type { Tables } from '../schema/tables.js';
import { endTrialsBeyond } from '../trials/trial-limit.js';

/** Writes a campaign's limits where people read them and where calls are admitted; its row is locked by the caller. */
export async function writeBudget(
  transaction: Transaction<Tables>,
  campaignId: string,
  budget: BudgetSpec,
): Promise<void> {
  await writeLimit(ledgerTables(transaction), accountBudget({ kind: 'campaign', id: campaignId }), limitOf(budget));
  await sql`
    update campaigns set spec = jsonb_set(spec, '{budget}', ${JSON.stringify(budget)}::jsonb), budget_exhausted_at = null
    where id = ${campaignId}`.execute(transaction);
  await endTrialsBeyond(transaction, campaignId, budget.trials);
}

/** The same for the limit over all campaigns; the installation's row is locked by the caller. */
export async function writeInstallationBudget(
  transaction: Transaction<Tables>,
  budget: InstallationBudget,
): Promise<void> {
  // Campaigns before budgets, as everybody locks them. Those that were stopped ask again; if it was by a limit of their
  // own, the next reservation finds out.
  const { rows: stopped } = await sql<{ id: string }>`
    select id from campaigns where ended_as is null and budget_exhausted_at is not null
    order by id for no key update`.execute(transaction);
  await writeInstallationLimit(ledgerTables(transaction), limitOf(budget));
  await sql`update installation set budget = ${JSON.stringify(budget)}::jsonb`.execute(transaction);
  await sql`
    update campaigns set budget_exhausted_at = null
    where id = any(${stopped.map(({ id }) => id)})`.execute(transaction);
}

function limitOf({ usd, tokens, soft = null }: BudgetSpec): SoftLimit {
  return { microUsd: usd === null ? null : microUsd(usd), tokens, soft };
}
