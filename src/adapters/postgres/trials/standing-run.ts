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
