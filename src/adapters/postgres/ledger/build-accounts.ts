import type { Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { ModelSpec, SpendLimit } from '../../../contract/campaign.js';
import type { JsonObject } from '../../../contract/json.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { microUsd } from '../../../domain/limits/prices.js';
import { jsonHash } from '../../../domain/text/content-hash.js';
import { storableJson } from '../../../domain/text/storable.js';
import type { BuildAccountRow, BuildAccounts, BuildUsage } from '../../../ports/build-accounts.js';
import { superseded, unknownRecord } from '../campaigns/admission.js';
import { recordEvent } from '../campaigns/events.js';
import { changedLimits } from '../campaigns/operator.js';
import type { Database } from '../schema/database.js';
import { ledgerTables } from '../schema/ledger-tables.js';
import { reading } from '../schema/reading.js';
import type { Tables } from '../schema/tables.js';
import { SPEND_COLUMNS, spendOf, toSpend, type SpendRow } from './account-spend.js';
import { endAbandonedSends } from './ledger-ends.js';
import { writeLimit } from './ledger-limits.js';
import { accountBudget } from './ledger-scopes.js';

/** Cost accounts of dataset builds, beside the ledger whose calls belong to them. */
export function buildAccounts({ kysely }: Database): BuildAccounts {
  return {
    createBuildAccount: ({ id, suite, version, model, usd }, { author }) =>
      kysely.transaction().execute(async (transaction) => {
        const made = await transaction
          .insertInto('build_accounts')
          .values({ id, suite, version, model: storableJson(model), budget: storableJson({ usd, tokens: null }) })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .returning('id')
          .executeTakeFirst();
        if (made === undefined) await change(transaction, { id, model, usd, author });
      }),

    async openBuildAccount(id) {
      const row = await kysely
        .updateTable('build_accounts')
        .set({ epoch: sql`epoch + 1`, opened_at: sql`coalesce(opened_at, now())` })
        .where('id', '=', id)
        .returning('epoch')
        .executeTakeFirst();
      if (row === undefined) throw unknownRecord('account', id);
      return row;
    },

    async openedBuildAccount(id, epoch) {
      const { epoch: now, ...account } = await kysely
        .selectFrom('build_accounts')
        .select(['id', 'suite', 'version', 'model', 'budget', 'epoch'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(() => unknownRecord('account', id));
      if (now !== epoch) throw superseded(`the account ${id}`);
      return account;
    },

    closeBuildAccount: ({ accountId, epoch }) =>
      kysely.transaction().execute(async (transaction) => {
        const row = await locked(transaction, accountId);
        if (row === undefined) throw unknownRecord('account', accountId);
        if (row.epoch !== epoch) throw superseded(`the account ${accountId}`);
        await endAbandonedSends(ledgerTables(transaction), { accountId });
        const { rows } = await sql<{ micro_usd: number }>`
          select coalesce(sum(s.actual_micro_usd), 0)::bigint as micro_usd
          from calls c join sends s on s.key = c.key where c.build_id = ${accountId}`.execute(transaction);
        return { microUsd: rows[0]!.micro_usd };
      }),

    buildAccounts: () => reading(kysely, accountRows),

    async buildUsage(accountId) {
      const { rows } = await sql<BuildUsage>`
        select substr(c.owner_id, length(c.build_id) + 2) as project, c.purpose, count(distinct c.key) as calls,
          sum(s.actual_tokens)::bigint as tokens, sum(s.actual_micro_usd)::bigint as "costMicroUsd"
        from calls c join sends s on s.key = c.key
        where c.build_id = ${accountId} and s.state in ('settled', 'ambiguous')
        group by 1, 2 order by 1, 2`.execute(kysely);
      return rows;
    },

    buildEvents: (accountId) =>
      kysely
        .selectFrom('events')
        .select(['at', 'author', 'action', 'reason', 'details'])
        .where('build_id', '=', accountId)
        .orderBy('id')
        .execute(),

    setBuildBudget: ({ accountId, change: asked, author, reason }) =>
      kysely.transaction().execute(async (transaction) => {
        const row = await locked(transaction, accountId);
        if (row === undefined) throw unknownAccount(accountId);
        const changed = changedLimits(row.budget, asked);
        const { before, after } = changed;
        if (before === after) return changed;
        const event = { campaignId: null, buildId: accountId, action: 'budget', author, reason };
        await recordEvent(transaction, { ...event, details: { before, after } });
        await writeBudget(transaction, accountId, after);
        return changed;
      }),
  };
}

/** Its row, which nobody else changes until the transaction ends. */
const locked = (transaction: Transaction<Tables>, id: string) =>
  transaction
    .selectFrom('build_accounts')
    .select(['model', 'budget', 'epoch'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** What a build asks of an account that is there: a limit in tokens is none of its options, and stays. */
async function change(
  transaction: Transaction<Tables>,
  { id, model, usd, author }: { id: string; model: ModelSpec; usd: number | null; author: string },
): Promise<void> {
  const row = (await locked(transaction, id))!;
  const before = { model: row.model, budget: row.budget };
  const after = { model, budget: { ...row.budget, usd } };
  if (jsonHash(before as unknown as JsonObject) === jsonHash(after as unknown as JsonObject)) return;
  const details = { before, after } as unknown as JsonObject;
  const event = { campaignId: null, buildId: id, action: 'settings', author, reason: 'dataset build', details };
  await recordEvent(transaction, event);
  await transaction
    .updateTable('build_accounts')
    .set({ model: storableJson(model) })
    .where('id', '=', id)
    .execute();
  await writeBudget(transaction, id, after.budget);
}

/** Where people read it, and where calls are admitted. */
async function writeBudget(transaction: Transaction<Tables>, id: string, budget: SpendLimit): Promise<void> {
  const { usd, tokens } = budget;
  const limit = { microUsd: usd === null ? null : microUsd(usd), tokens, soft: null };
  await writeLimit(ledgerTables(transaction), accountBudget({ kind: 'build', id }), limit);
  await transaction
    .updateTable('build_accounts')
    .set({ budget: JSON.stringify(budget) })
    .where('id', '=', id)
    .execute();
}

type AccountRow = Omit<BuildAccountRow, 'createdAt' | 'openedAt' | 'spend'> &
  SpendRow & { created_at: string; opened_at: string | null };

async function accountRows(transaction: Transaction<Tables>): Promise<BuildAccountRow[]> {
  const { rows } = await sql<AccountRow>`
    select a.id, a.suite, a.version, a.model, a.budget, a.created_at, a.opened_at, ${SPEND_COLUMNS}
    from build_accounts a left join (${spendOf('build', sql`select id from build_accounts`)}) p on p.account_id = a.id
    order by a.created_at desc, a.id`.execute(transaction);
  return rows.map((row) => {
    const { id, suite, version, model, budget, created_at: createdAt, opened_at: openedAt } = row;
    return { id, suite, version, model, budget, createdAt, openedAt, spend: toSpend(row) };
  });
}

function unknownAccount(id: string): UserError {
  return new UserError('usage', {
    message: `There is no cost account ${id}.`,
    expected: 'the account of a dataset build, SUITE@VERSION',
    fix: '`durabench list` shows them.',
  });
}
