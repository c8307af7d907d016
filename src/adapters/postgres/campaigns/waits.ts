import { sql } from '../query-builder.js';
import type { Failure, FailureType } from '../../../contract/failure.js';
import type { Problem } from '../../../contract/problem.js';
import { LACKING } from '../../../domain/failure/failure-table.js';
import type { Records, Wait } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';

/** Failures of something outside that comes back, and of workers that lack something: attempts at them go on for days, and somebody should know. */
const OUTSIDE: readonly FailureType[] = [
  'sandbox.unavailable',
  'sandbox.disk-full',
  'model.unreachable',
  'model.server-error',
  'model.rate-limited',
  'budget.contended',
  ...LACKING,
];

/** Others get through all the time, on the very money that is waited for. */
const OWN: FailureType = 'budget.contended';

/** What running work of a campaign waits for. */
export function waits({ kysely }: Database): Pick<Records, 'waits'> {
  return {
    waits: (campaignId) =>
      reading(kysely, async (transaction) => {
        // The last attempt of whoever runs; no longer a wait once anybody got through the same stage after it.
        const { rows } = await sql<Omit<Wait, keyof Problem> & { failure: Failure }>`
          with running as (
            select 'trial' as kind, id, n from trials where campaign_id = ${campaignId} and state = 'running'
            union all
            select 'generation', id, n from generations where campaign_id = ${campaignId} and state = 'running'),
          last as (
            select distinct on (a.owner_kind, a.owner_id) a.*
            from attempts a join running r on a.owner_kind = r.kind and a.owner_id = r.id and a.n = r.n
            order by a.owner_kind, a.owner_id, a.ended_at desc),
          waiting as (
            select l.*, (
              select min(f.ended_at) from attempts f
              where f.owner_id = l.owner_id and f.owner_kind = l.owner_kind and f.n = l.n and f.stage = l.stage
                and f.step = l.step and f.epoch = l.epoch and f.failure ->> 'type' = l.failure ->> 'type') as since
            from last l
            where l.failure ->> 'type' = any(${OUTSIDE}::text[]) and (l.failure ->> 'type' = ${OWN} or not exists (
              select from attempts s join trials t on t.id = s.owner_id and s.owner_kind = 'trial'
              where t.campaign_id = ${campaignId} and s.stage = l.stage and s.failure is null
                and s.ended_at > l.ended_at)))
          select failure ->> 'type' as type, count(*) as owners, min(since) as since, max(ended_at) as "lastTriedAt",
            (array_agg(failure order by ended_at desc))[1] as failure
          from waiting group by 1 order by since`.execute(transaction);
        return rows.map(({ failure: { message, expected, fix }, ...row }) => ({ ...row, message, expected, fix }));
      }),
  };
}
