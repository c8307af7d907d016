import type { Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { BudgetSpec, ConcurrencySpec, InstallationBudget } from '../../../contract/campaign.js';
import type { JsonObject } from '../../../contract/json.js';
import type { Changed, Records } from '../../../ports/records.js';
import { writeBudget, writeInstallationBudget } from './campaign-budget.js';
import { endCampaign } from './campaign-lifecycle.js';
import type { Database } from '../schema/database.js';
import { recordEvent } from './events.js';
import type { Tables } from '../schema/tables.js';
import { unknownCampaign } from './unknown-campaign.js';

/** What an operator asks for. */
export function operator({
  kysely,
}: Database): Pick<
  Records,
  | 'setDesiredState'
  | 'setBudget'
  | 'installationBudget'
  | 'installationSpend'
  | 'setInstallationBudget'
  | 'events'
  | 'openConcurrency'
  | 'resolveCampaign'
> {
  return {
    setDesiredState: ({ campaignId, state, author, reason }) =>
      kysely.transaction().execute(async (transaction) => {
        const campaign = await lockedCampaign(transaction, campaignId);
        if (campaign.desired_state === state) return;
        // What has ended can only be run again; pausing or cancelling it would change what its past looks like.
        if (campaign.ended_as !== null && state !== 'run') return;
        // A pause would take back a cancel that has not reached every trial yet.
        if (state === 'pause' && ['cancel', 'stop'].includes(campaign.desired_state)) return;
        await recordEvent(transaction, { campaignId, action: state === 'run' ? 'resume' : state, author, reason });
        await transaction.updateTable('campaigns').set({ desired_state: state }).where('id', '=', campaignId).execute();
        const neverOpened = campaign.epoch === 0;
        if (neverOpened && (state === 'cancel' || state === 'stop')) {
          await endCampaign(transaction, campaignId, { isCancelled: true, isOutOfBudget: false, failure: null });
        }
      }),

    setBudget: ({ campaignId, change, author, reason }) =>
      kysely.transaction().execute(async (transaction) => {
        const { spec } = await lockedCampaign(transaction, campaignId);
        const changed = changedLimits(spec.budget, change);
        const { before, after } = changed;
        if (before === after) return changed;
        const details = { before: { ...before }, after: { ...after } } satisfies JsonObject;
        await recordEvent(transaction, { campaignId, action: 'budget', author, reason, details });
        await writeBudget(transaction, campaignId, after);
        return changed;
      }),

    async openConcurrency() {
      const { rows } = await sql<{ concurrency: ConcurrencySpec }>`
        select spec -> 'concurrency' as concurrency from campaigns
        where opened_at is not null and ended_at is null and desired_state = 'run'`.execute(kysely);
      return rows.map(({ concurrency }) => concurrency);
    },

    async installationBudget() {
      const { rows } = await sql<{ budget: InstallationBudget; micro_usd: number | null; tokens: number | null }>`
        select i.budget, b.settled_micro_usd as micro_usd, b.settled_tokens as tokens
        from installation i left join budgets b on b.scope = 'installation'`.execute(kysely);
      const { budget, micro_usd: microUsd, tokens } = rows[0]!;
      return { budget, spent: microUsd === null || tokens === null ? null : { microUsd, tokens } };
    },

    async installationSpend() {
      const { rows } = await sql<{ micro_usd: number; tokens: number }>`
        select coalesce(sum(actual_micro_usd), 0)::bigint as micro_usd, coalesce(sum(actual_tokens), 0)::bigint as tokens
        from sends`.execute(kysely);
      const { micro_usd: microUsd, tokens } = rows[0]!;
      return { microUsd, tokens };
    },

    setInstallationBudget: ({ change, author, reason }) =>
      kysely.transaction().execute(async (transaction) => {
        const { budget } = await transaction
          .selectFrom('installation')
          .select('budget')
          .forUpdate()
          .executeTakeFirstOrThrow();
        const changed = changedLimits(budget, change);
        const { before, after } = changed;
        if (before === after) return changed;
        const details = { before, after };
        await recordEvent(transaction, { campaignId: null, action: 'budget', author, reason, details });
        await writeInstallationBudget(transaction, after);
        return changed;
      }),

    events: (campaignId) =>
      kysely
        .selectFrom('events')
        .select(['at', 'author', 'action', 'reason', 'details'])
        .where('campaign_id', campaignId === null ? 'is' : '=', campaignId)
        .where('build_id', 'is', null)
        .orderBy('id')
        .execute(),

    async resolveCampaign(idOrPrefix) {
      const { rows } = await (
        idOrPrefix === 'latest'
          ? sql<{ id: string }>`select id from campaigns order by created_at desc, id limit 1`
          : sql<{ id: string }>`
            select id from campaigns where starts_with(id, ${idOrPrefix}) order by id = ${idOrPrefix} desc limit 2`
      ).execute(kysely);
      const [first, second] = rows;
      return first !== undefined && (second === undefined || first.id === idOrPrefix) ? first.id : null;
    },
  };
}

/** Limits with some of them changed: the same object where none is another than before. */
export function changedLimits<Limits extends BudgetSpec>(before: Limits, change: Partial<Limits>): Changed<Limits> {
  const names = Object.keys(change) as (keyof Limits)[];
  // A limit that is absent is none.
  const isSame = names.every((name) => (before[name] ?? null) === (change[name] ?? null));
  return { before, after: isSame ? before : { ...before, ...change } };
}

/** The campaign's row, which nobody else changes until the transaction ends. */
export async function lockedCampaign(transaction: Transaction<Tables>, campaignId: string) {
  const campaign = await operated(transaction, campaignId).forUpdate().executeTakeFirst();
  if (campaign === undefined) throw unknownCampaign(campaignId);
  return campaign;
}

/** The same for who only looks: nobody has to wait for him, and he for nobody. */
export async function seenCampaign(transaction: Transaction<Tables>, campaignId: string) {
  const campaign = await operated(transaction, campaignId).executeTakeFirst();
  if (campaign === undefined) throw unknownCampaign(campaignId);
  return campaign;
}

function operated(transaction: Transaction<Tables>, campaignId: string) {
  return transaction
    .selectFrom('campaigns')
    .select(['epoch', 'ended_as', 'desired_state', 'spec'])
    .where('id', '=', campaignId);
}
