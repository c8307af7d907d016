import { sql, type RawBuilder, type Transaction } from 'kysely';
import { DomainFailure } from '../../domain/domain-failure.js';
import { endOfFailure } from '../../domain/trial-end.js';
import { endOpenTrials } from './open-trials.js';
import type { Tables } from './tables.js';

/** Whether a row of `trials`, by its alias, was ever begun, in this run or an earlier one. */
export function wasStarted(alias: string): RawBuilder<boolean> {
  const trial = sql.table(alias);
  // A further run may be planned of a trial that ended before its first one began: its candidate could not be made.
  return sql`(${trial}.started_at is not null or (${trial}.n > 1 and exists (
    select from trial_runs r where r.trial_id = ${trial}.id and r.started_at is not null)))`;
}

/**
 * Ends what a limit on started trials leaves no room for as not run, before anything of it is dispatched. What was
 * started once may always go on. The first trials of every batch come first, so that systems stay comparable, and no
 * candidate is made that none of its trials could grade.
 */
export async function endTrialsBeyond(
  transaction: Transaction<Tables>,
  campaignId: string,
  limit: number | null | undefined,
): Promise<void> {
  if (limit === null || limit === undefined) return;
  const own = sql`campaign_id = ${campaignId}`;
  // Locked first, counted after: none is claimed meanwhile.
  await sql`select from trials where ${own} and state = 'planned' for update`.execute(transaction);
  const beyond = sql`t.id in (
    select id from (
      select p.id, row_number() over (order by p.ordinal, b.ordinal) as place
      from trials p join batches b on b.id = p.batch_id
      where p.campaign_id = ${campaignId} and state = 'planned' and not ${wasStarted('p')}) as waiting
    where place > ${limit} - (select count(*) from trials s where ${own} and ${wasStarted('s')}))`;
  const failure = new DomainFailure(
    'budget.exhausted',
    `the budget lets ${limit} trials start, and it is not among them`,
  );
  await endOpenTrials(transaction, beyond, endOfFailure(failure.toFailure()));
  await sql`
    update batches b set closed_at = now() where ${own} and closed_at is null
      and not exists (select from trials t where t.batch_id = b.id and t.state <> 'done')`.execute(transaction);
}
