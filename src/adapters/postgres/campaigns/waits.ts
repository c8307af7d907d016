import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { Failure, FailureType } from '../../../contract/failure.js';
import type { Problem } from '../../../contract/problem.js';
import { LACKING } from '../../../domain/failure/failure-table.js';
import type { Records, Wait } from '../../../ports/records.js';
import type { Tables } from '../schema/tables.js';
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
          select failure ->> 'type' as type, count(*) as owners,
            count(*) filter (where owner_kind = 'generation') as generations, min(since) as since, max(ended_at) as "lastTriedAt",
            (array_agg(failure order by ended_at desc))[1] as failure
          from waiting group by 1 order by since`.execute(transaction);
        const failed = rows.map(({ failure: { message, expected, fix }, ...row }) => ({
          ...row,
          message,
          expected,
          fix,
        }));
        return [...failed, ...(await batchWait(transaction, campaignId))];
      }),
  };
}

interface BatchWaitRow {
  owners: number;
  generations: number;
  since: string;
  lastTriedAt: string;
  /** Requests that no batch has yet. */
  unsent: number;
  batches: number;
  requests: number;
  answered: number;
  problem: string | null;
}

/** What waits for provider batches: no failure, since each attempt at it ends as one that waits. */
async function batchWait(transaction: Kysely<Tables>, campaignId: string): Promise<Wait[]> {
  const { rows } = await sql<BatchWaitRow>`
    with open as (
      select s.*, c.owner_id, c.owner_kind, b.answered, b.problem, b.looked_at
      from sends s join calls c on c.key = s.key left join provider_batches b on b.id = s.batch_id
      where s.is_batched and s.state in ('reserved', 'sent') and c.campaign_id = ${campaignId})
    select count(distinct owner_id) as owners,
      count(distinct owner_id) filter (where owner_kind = 'generation') as generations, min(reserved_at) as since,
      coalesce(max(looked_at), min(reserved_at)) as "lastTriedAt",
      count(*) filter (where batch_id is null) as unsent, count(distinct batch_id) as batches, count(batch_id) as requests,
      (select coalesce(sum(answered), 0)::integer from (select distinct batch_id, answered from open) each_batch) as answered,
      (array_agg(problem order by looked_at desc) filter (where problem is not null))[1] as problem
    from open having count(*) > 0`.execute(transaction);
  return rows.map(({ owners, generations, since, lastTriedAt, ...row }) => ({
    ...{ type: 'model.batched' as const, owners, generations, since, lastTriedAt, message: batchText(row) },
    expected: 'answers within a day, as the Batch API of the provider promises',
    fix: 'nothing: work continues by itself; a higher concurrency.trials puts more requests into a batch',
  }));
}

function batchText({
  unsent,
  batches,
  requests,
  answered,
  problem,
}: Omit<BatchWaitRow, 'owners' | 'generations' | 'since' | 'lastTriedAt'>): string {
  const parts = [
    ...(batches > 0
      ? [`${answered} of ${requests} requests in ${batches} open ${batches === 1 ? 'batch' : 'batches'} answered`]
      : []),
    ...(unsent > 0 ? [`${unsent} ${unsent === 1 ? 'request waits' : 'requests wait'} to be sent`] : []),
    ...(problem === null ? [] : [problem]),
  ];
  return parts.join('; ');
}
