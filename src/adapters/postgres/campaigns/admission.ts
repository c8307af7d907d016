import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { DesiredState } from '../../../contract/campaign.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import type { Claim } from '../../../ports/records.js';
import type { Tables } from '../schema/tables.js';

/** What decides whether work of a campaign may start. */
export interface AdmissionRow {
  epoch: number;
  desired_state: DesiredState;
  is_out_of_budget: boolean;
}

/**
 * Whether `campaigns c` admits nothing more: its money or tokens are spent, its hours are over, or what is settled has
 * reached a soft limit. The last is looked up, not marked: nothing can come between the end of a send and a mark.
 */
export const IS_OUT_OF_BUDGET = sql<boolean>`(
  c.budget_exhausted_at is not null or coalesce(c.admits_until <= clock_timestamp(), false)
  or exists (select from budgets b where b.scope in ('campaign:' || c.id, 'installation')
    and (b.settled_micro_usd >= b.soft_micro_usd or b.settled_tokens >= b.soft_tokens)))`;

/** The columns of an {@link AdmissionRow}, of `campaigns c`. */
export const ADMISSION = sql`c.epoch, c.desired_state, ${IS_OUT_OF_BUDGET} as is_out_of_budget`;

/** Why a claim is refused, or undefined when it may run. */
export function refusal(campaign: AdmissionRow, epoch: number): Exclude<Claim, { action: 'run' }> | undefined {
  if (campaign.epoch !== epoch) return { action: 'stop', reason: 'operator.superseded' };
  switch (campaign.desired_state) {
    case 'pause':
      return { action: 'pause' };
    case 'cancel':
    case 'stop':
      return { action: 'stop', reason: 'operator.cancelled' };
    case 'run':
      return campaign.is_out_of_budget ? { action: 'stop', reason: 'budget.exhausted' } : undefined;
  }
}

/**
 * No open raises the epoch of this row's campaign until the transaction ends: one that did would not see the claim that
 * is being made, and the old epoch would run a trial for nothing. Taken before the row itself is locked, as an open does.
 */
export async function holdEpoch(
  transaction: Kysely<Tables>,
  table: 'trials' | 'generations',
  id: string,
): Promise<void> {
  await sql`
    select from campaigns c join ${sql.table(table)} o on o.campaign_id = c.id where o.id = ${id}
    for share of c`.execute(transaction);
}

/**
 * Locks the row of the campaign for whoever may write into it at the end of his transaction. The order of all locks is
 * campaign, sends, budgets, generation, trials, batch: operators begin with the campaign, so those who close do as well.
 */
export async function lockCampaignOf(
  transaction: Kysely<Tables>,
  table: 'batches' | 'generations',
  id: string,
): Promise<void> {
  await sql`
    select from campaigns c join ${sql.table(table)} o on o.campaign_id = c.id where o.id = ${id}
    for no key update of c`.execute(transaction);
}

/** The failure of everybody who writes with an old epoch or for a run that another one replaced. */
export function superseded(what: string): DomainFailure {
  return new DomainFailure('operator.superseded', `${what} was taken over by a newer run of the campaign`);
}

/** A key that no plan holds: a bug of whoever asks. */
export function unknownRecord(kind: string, id: string): DomainFailure {
  return new DomainFailure('harness.bug', `there is no ${kind} ${id} in the records`);
}

/** Remembers that the campaign's budget is spent, so that claims stop. The next open forgets it. */
export async function markBudgetExhausted(kysely: Kysely<Tables>, campaignId: string): Promise<void> {
  await sql`
    update campaigns set budget_exhausted_at = now()
    where id = ${campaignId} and budget_exhausted_at is null`.execute(kysely);
}
