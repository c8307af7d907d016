import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { WorkerLimits } from '../../../contract/worker-limits.js';
import type { TrialTimes } from '../../../contract/plan.js';
import type { LikeTimes } from '../../../ports/record-sums.js';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import { likeSystems, type LikeSpec } from './like-work.js';

/** So many campaigns of each system: a machine changes, and so does what else it does. */
const NEWEST = 12;
/** Where newer ones have so many trials, older ones are not looked at. */
const MOST_TRIALS = 50_000;
/** Of a larger campaign every n-th trial is looked at, so that there are about as many. */
const LOOKED_AT = 1_000;

/** How long work like that of a plan took in the campaigns there are. */
export function likeTimes({ kysely }: Database): Pick<Records, 'likeTimes'> {
  return {
    likeTimes: (spec, stages) =>
      reading(kysely, async (transaction) => {
        const { rows: times } = await timesOf(spec, stages).execute(transaction);
        const { rows: made } = await candidatesOf(spec).execute(transaction);
        const { rows: edges } = await edgesOf(spec).execute(transaction);
        const { rows: workers } = await WORKERS.execute(transaction);
        const ofSystem = <Row>(rows: readonly (Row & { systemId: string })[], id: string): Omit<Row, 'systemId'>[] =>
          rows.filter(({ systemId }) => systemId === id).map(({ systemId: _, ...row }) => row);
        return {
          systems: spec.systems.map(({ id }) => ({
            systemId: id,
            trials: ofSystem(times, id),
            candidates: ofSystem(made, id)[0] ?? { pieces: 0, mean: 0, deviation: 0 },
          })),
          edges,
          workers: workers.map(({ limits }) => limits),
        };
      }),
  };
}

/** `chosen`: the newest campaigns of each system, as many as are looked through quickly. */
const chosen = (spec: LikeSpec): RawBuilder<unknown> => sql`
  ${likeSystems(spec)},
  newest as (
    select * from (
      select l.*, (c.spec -> 'concurrency' ->> 'trials')::integer as in_batch,
        dense_rank() over (partition by l.wanted order by c.created_at desc, c.id) as age
      from like_systems l join campaigns c on c.id = l.campaign_id
      -- Planned only: it has no times, and is no newer than those that have.
      where c.epoch > 0) l
    where age <= ${NEWEST}),
  chosen as (
    select * from (
      select n.*, sum(trials) over (partition by wanted order by age) - trials as newer
      from (
        select *, (select count(*) from trials t where t.campaign_id = newest.campaign_id) as trials from newest) n) n
    where newer < ${MOST_TRIALS}),
  stretches as (
    select campaign_id, started_at, ended_at from working_times
    union all
    select id, running_since, 'infinity' from campaigns where running_since is not null)`;

/**
 * `crowds` counts how many ran at every moment, and how many of these were of the system: what a trial of it saw in the mean.
 * Those that still run are among the crowd.
 * `waits` is for how long places of a batch stood free while it had further trials, by trial.
 */
const timesOf = (
  spec: LikeSpec,
  stages: Parameters<Records['likeTimes']>[1],
): RawBuilder<TrialTimes & { systemId: string }> => sql`
  with ${chosen(spec)},
  routes as (
    select * from jsonb_to_recordset(${JSON.stringify(routesOf(stages))}::jsonb)
      as r(place integer, stage text, prefix text, queue text)),
  ran as (
    select h.*, t.id, t.batch_id, t.started_at, l.ended_at, t.outcome, t.system_id = h.system_id as is_own
    from chosen h join trials t on t.campaign_id = h.campaign_id
    cross join lateral (select coalesce(t.ended_at, clock_timestamp()) as ended_at) l
    where t.n = 1 and t.started_at is not null
      and exists (
        select from stretches s
        where s.campaign_id = t.campaign_id and t.started_at >= s.started_at and l.ended_at <= s.ended_at)),
  pieces as (
    select r.wanted, r.campaign_id, extract(epoch from r.ended_at - r.started_at)::float8 as seconds, a.own, a.model,
      a.sandbox
    from (
      select *, row_number() over of_system as nth, count(*) over (partition by wanted, campaign_id) as graded
      from ran where is_own and outcome in ('passed', 'failed')
      window of_system as (partition by wanted, campaign_id order by started_at, id)) r
    cross join lateral (
      select coalesce(sum(seconds), 0) as own, coalesce(sum(seconds) filter (where queue = 'model'), 0) as model,
        coalesce(sum(seconds) filter (where queue = 'sandbox'), 0) as sandbox
      from (
        select extract(epoch from a.ended_at - a.started_at)::float8 as seconds, (
          select queue from routes
          where routes.stage = a.stage and starts_with(a.step, prefix) order by place limit 1) as queue
        from attempts a where a.owner_kind = 'trial' and a.owner_id = r.id and a.n = 1) steps) a
    where nth % greatest(1, graded / ${LOOKED_AT}) = 0
      -- What took over the answers of another campaign says nothing of one that asks.
      and not exists (
        select from calls c where c.owner_kind = 'trial' and c.owner_id = r.id and c.reused_from is not null)),
  crowds as (
    select wanted, campaign_id, sum(own * everybody * lasted) / nullif(sum(own * lasted), 0) as at_once
    from (
      select wanted, campaign_id, sum(step) over so_far as everybody, sum(step) filter (where is_own) over so_far as own,
        extract(epoch from lead(at) over (partition by wanted, campaign_id order by at) - at)::float8 as lasted
      from ran cross join lateral (values (started_at, 1), (ended_at, -1)) as moment(at, step)
      window so_far as (partition by wanted, campaign_id order by at)) moments
    group by 1, 2),
  waits as (
    select wanted, campaign_id, sum(greatest(0, in_batch - running) * extract(epoch from until - at)::float8) filter (
      where running < in_batch and at < least(until, last_start) and exists (
        select from stretches s
        where s.campaign_id = moments.campaign_id and at >= s.started_at and until <= s.ended_at))
      / count(*) filter (where step = 1) as seconds
    from (
      select wanted, campaign_id, in_batch, step, at, sum(step) over so_far as running,
        lead(at) over (partition by wanted, batch_id order by at) as until,
        max(started_at) over (partition by wanted, batch_id) as last_start
      from ran cross join lateral (values (started_at, 1), (ended_at, -1)) as moment(at, step)
      where is_own
      window so_far as (partition by wanted, batch_id order by at)) moments
    group by 1, 2)
  select p.wanted as "systemId", p.campaign_id as campaign, count(*) as trials,
    avg(p.seconds) + coalesce(w.seconds, 0) as seconds,
    -- Some plans have steps that run side by side.
    avg(least(p.own, p.seconds)) as own, avg(least(p.model, p.seconds)) as model, avg(least(p.sandbox, p.seconds)) as sandbox,
    coalesce(stddev_samp(least(p.own, p.seconds)), 0) as deviation,
    c.at_once * (1 + coalesce(w.seconds, 0) / nullif(avg(p.seconds), 0)) as "atOnce"
  from pieces p join crowds c using (wanted, campaign_id) left join waits w using (wanted, campaign_id)
  where p.seconds > 0
  group by p.wanted, p.campaign_id, w.seconds, c.at_once`;

/** Making shared candidates, without what was interrupted. */
const candidatesOf = (
  spec: LikeSpec,
): RawBuilder<LikeTimes['systems'][number]['candidates'] & { systemId: string }> => sql`
  with ${chosen(spec)}
  select h.wanted as "systemId", count(*) as pieces, avg(seconds)::float8 as mean,
    coalesce(stddev_samp(seconds), 0)::float8 as deviation
  from chosen h join generations g on g.campaign_id = h.campaign_id and g.system_id = h.system_id
  cross join lateral (select extract(epoch from g.ended_at - g.started_at) as seconds) l
  where g.state = 'done' and g.failure is null and g.n = 1
    and exists (
      select from stretches s
      where s.campaign_id = g.campaign_id and g.started_at >= s.started_at and g.ended_at <= s.ended_at)
  group by 1`;

/** First to last, as workflows choose: the routing of the first prefix that fits, else that of the stage. */
function routesOf(
  stages: Parameters<Records['likeTimes']>[1],
): { place: number; stage: string; prefix: string; queue: string }[] {
  return Object.entries(stages)
    .flatMap(([stage, routing]) => {
      if (routing === null) return [];
      const named = Object.entries(routing.steps ?? {}).map(([prefix, { queue }]) => ({ stage, prefix, queue }));
      return [...named, { stage, prefix: '', queue: routing.queue }];
    })
    .map((route, place) => ({ place, ...route }));
}

/** Of campaigns that ran from their opening to their end in one stretch. */
const edgesOf = (spec: LikeSpec): RawBuilder<LikeTimes['edges'][number]> => sql`
  with ${chosen(spec)},
  owners as (
    select campaign_id, started_at, ended_at from trials where campaign_id in (select campaign_id from chosen)
    union all
    select campaign_id, started_at, ended_at from generations where campaign_id in (select campaign_id from chosen))
  select extract(epoch from min(o.started_at) - w.started_at)::float8 as before,
    extract(epoch from c.ended_at - max(o.ended_at))::float8 as after
  from (select distinct campaign_id from chosen) h
  join campaigns c on c.id = h.campaign_id and c.ended_as = 'completed'
  join working_times w on w.campaign_id = c.id
  join owners o on o.campaign_id = c.id
  where not exists (
    select from working_times other where other.campaign_id = c.id and other.started_at <> w.started_at)
  group by c.id, c.ended_at, w.started_at
  having max(o.ended_at) is not null and min(o.started_at) >= w.started_at`;

const WORKERS = sql<{ limits: WorkerLimits }>`
  select limits from workers w where limits is not null and is_living(w)
  union all
  (select limits from workers
  where limits is not null and not exists (select from workers w where limits is not null and is_living(w))
  order by beat_at desc limit 1)`;
