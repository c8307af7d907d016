import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { AccountRef } from '../../../contract/stage.js';
import type { AmountLimit } from '../../../ports/ledger.js';
import { accountBudget, INSTALLATION } from './ledger-scopes.js';
import type { LedgerTables } from '../schema/ledger-tables.js';

/** A limit with the share of it at which nothing more is admitted; null = none. */
export type SoftLimit = AmountLimit & { soft: number | null };

/** Sets the limit of an account or of the installation (null); what was spent before counts. */
export async function setLimit(
  tables: Kysely<LedgerTables>,
  account: AccountRef | null,
  limit: SoftLimit,
): Promise<void> {
  await tables
    .transaction()
    .execute((transaction) =>
      account === null
        ? writeInstallationLimit(transaction, limit)
        : writeLimit(transaction, accountBudget(account), limit),
    );
}

/** Writes the limit over all accounts within the caller's transaction; all sends so far count in it. */
export async function writeInstallationLimit(transaction: Kysely<LedgerTables>, limit: SoftLimit): Promise<void> {
  await openInstallation(transaction);
  await writeLimit(transaction, INSTALLATION, limit);
}

/** Writes a limit within the caller's transaction. */
export async function writeLimit(tables: Kysely<LedgerTables>, name: string, limit: SoftLimit): Promise<void> {
  const { microUsd, tokens, soft } = limit;
  const share = (whole: number | null): number | null =>
    whole === null || soft === null ? null : Math.floor(whole * soft);
  // An account's row is missing as long as nothing was reserved: then there is nothing to count either.
  await sql`
    insert into budgets (scope, limit_micro_usd, limit_tokens, soft_micro_usd, soft_tokens)
    values (${name}, ${microUsd}, ${tokens}, ${share(microUsd)}, ${share(tokens)})
    on conflict (scope) do update set limit_micro_usd = excluded.limit_micro_usd,
      limit_tokens = excluded.limit_tokens, soft_micro_usd = excluded.soft_micro_usd,
      soft_tokens = excluded.soft_tokens`.execute(tables);
}

/**
 * The installation's row begins with the sums over all sends. No send may begin or end meanwhile: the lock waits for
 * those under way, and they go on, counting in the row, when it is there.
 */
async function openInstallation(transaction: Kysely<LedgerTables>): Promise<void> {
  const { rows } = await sql`select from budgets where scope = ${INSTALLATION}`.execute(transaction);
  if (rows.length > 0) return;
  await sql`lock table sends in share row exclusive mode`.execute(transaction);
  await sql`
    insert into budgets (scope, reserved_micro_usd, reserved_tokens, settled_micro_usd, settled_tokens)
    select ${INSTALLATION},
      coalesce(sum(estimate_micro_usd) filter (where state in ('reserved', 'sent')), 0),
      coalesce(sum(estimate_tokens) filter (where state in ('reserved', 'sent')), 0),
      coalesce(sum(actual_micro_usd), 0), coalesce(sum(actual_tokens), 0)
    from sends on conflict (scope) do nothing`.execute(transaction);
}
