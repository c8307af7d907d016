import type { RawBuilder, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { endOfFailure } from '../../../domain/campaign/trial-end.js';
import { endOpenTrials } from './open-trials.js';
import type { Tables } from '../schema/tables.js';

/** Whether a row of `trials`, by its alias, was ever begun, in this run or an earlier one. */
export function wasStarted(alias: string): RawBuilder<boolean> {
  const trial = sql.table(alias);
  // A further run may be planned of a trial that ended before its first one began: its candidate could not be made.
  return sql`(${trial}.started_at is not null or (${trial}.n > 1 and exists (
    select from trial_runs r where r.trial_id = ${trial}.id and r.started_at is not null)))`;
}

/** Trials that one call ends: a second of a small machine's time. */
const TRIALS_A_CHUNK = 2_500;

/**
 * Ends what a limit on started trials leaves no room for as not run, before anything of it is dispatched. What was
 * started once may always go on. The first trials of every batch come first, so that systems stay comparable, and no
 * candidate is made that none of its trials could grade. The campaign's row is locked by the caller: none is claimed
 * meanwhile.
 */
export async function endTrialsBeyond(
  transaction: Transaction<Tables>,
  campaignId: string,
  limit: number | null | undefined,
): Promise<void> {
  while (await endChunkBeyond(transaction, campaignId, limit));
}

/** The same for the next few of them. @returns whether there may be more */
export async function endChunkBeyond(
  transaction: Transaction<Tables>,
  campaignId: string,
  limit: number | null | undefined,
): Promise<boolean> {
  if (limit === null || limit === undefined) return false;
  const own = sql`campaign_id = ${campaignId}`;
  const { rows } = await sql<{ id: string; batch_id: string }>`
    select p.id, p.batch_id from trials p join batches b on b.id = p.batch_id
    where p.campaign_id = ${campaignId} and state = 'planned' and not ${wasStarted('p')}
    order by p.ordinal, b.ordinal limit ${TRIALS_A_CHUNK}
    offset greatest(0, ${limit} - (select count(*) from trials s where ${own} and ${wasStarted('s')}))`.execute(
    transaction,
  );
  const failure = new DomainFailure(
    'budget.exhausted',
    `the budget lets ${limit} trials start, and it is not among them`,
  );
  const ids = rows.map(({ id }) => id);
  await endOpenTrials(transaction, sql`t.id = any(${ids})`, endOfFailure(failure.toFailure()));
  const batchIds = [...new Set(rows.map(({ batch_id: batch }) => batch))];
  await sql`
    update batches b set closed_at = now() where b.id = any(${batchIds}) and closed_at is null
      and not exists (select from trials t where t.batch_id = b.id and t.state <> 'done')`.execute(transaction);
  return rows.length === TRIALS_A_CHUNK;
}
