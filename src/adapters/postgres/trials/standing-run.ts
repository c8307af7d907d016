import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';

/**
 * Joins the run of `trials t` that counts, as `s`, where that is not the last one. Few trials have such a run; the view
 * begins with those, so nobody looks for one of the others.
 */
export const STANDING_RUN = sql`left join scored_runs s on s.campaign_id = t.campaign_id and s.trial_id = t.id`;

/** Number of the run that counts. */
export const STANDING_N = sql`coalesce(s.n, t.n)`;

/** Metrics of the run that counts. */
export const STANDING_METRICS = sql`case when s.n is null then t.metrics else s.verdict -> 'metrics' end`;

/** A column of the run that counts. */
export function standing(
  column: 'outcome' | 'blame' | 'reason' | 'message' | 'advice' | 'started_at' | 'ended_at',
): RawBuilder<unknown> {
  const name = sql.ref(column);
  return sql`case when s.n is null then t.${name} else s.${name} end`;
}

/**
 * For `with recursive`: as `judged`, times of the run that did the work of each of these trials whose standing run judged
 * its steps anew, also where it was so more than once. @param chosen a condition over `trials t`
 */
export const judgedRuns = (chosen: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  judging as (
    select r.trial_id, r.kind, r.of_run, r.started_at, r.ended_at
    from trials t ${STANDING_RUN} join trial_runs r on r.trial_id = s.trial_id and r.n = s.of_run
    where t.scored_n is not null and s.kind = 'regrade' and ${chosen}
    union all
    select r.trial_id, r.kind, r.of_run, r.started_at, r.ended_at
    from judging j join trial_runs r on r.trial_id = j.trial_id and r.n = j.of_run where j.kind = 'regrade'),
  judged as (select trial_id, started_at, ended_at from judging where kind <> 'regrade')`;
