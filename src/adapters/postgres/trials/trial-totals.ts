import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { FailureTally, Records, TaskOutcome, TaskTally, TrialTally, TrialTotals } from '../../../ports/records.js';
import { campaignCosts } from '../ledger/kept-sums.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import { judgedRuns, standing, STANDING_METRICS, STANDING_N, STANDING_RUN } from './standing-run.js';
import type { Tables } from '../schema/tables.js';

/** Trials added up by Postgres: a campaign may have 100,000, and what they come to is a few rows. */
export function taskOutcomes({ kysely }: Database): Pick<Records, 'taskOutcomes' | 'meanRunCosts'> {
  return {
    taskOutcomes: (campaignId, metrics = []) => outcomes(kysely, campaignId, metrics),
    meanRunCosts: (campaignId) => meanRunCosts(kysely, campaignId),
  };
}

/** What the trials of a campaign come to, their spend apart. */
export function trialTallies(
  kysely: Kysely<Tables>,
  campaignId: string,
  metrics: readonly string[],
): Promise<Omit<TrialTotals, 'spend'>> {
  return reading(kysely, async (transaction) => ({
    tallies: await tallies(transaction, campaignId, metrics),
    tasks: await tasks(transaction, campaignId),
    failures: await failures(transaction, campaignId),
    abstentions: await abstentions(transaction, campaignId),
  }));
}

/** Where a trial stands in the plan, as one number. */
const PLACE = sql`(b.ordinal::bigint << 32) + t.ordinal`;
const GROUP = sql`coalesce(k.task_group, '')`;
const TASK = sql`left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id`;

/** A time of the run that did the work: a trial that was regraded took what it took before. */
const worked = (column: 'started_at' | 'ended_at') =>
  sql`case when j.trial_id is null then ${standing(column)} else ${sql.ref(`j.${column}`)} end`;

async function tallies(kysely: Kysely<Tables>, campaignId: string, metrics: readonly string[]): Promise<TrialTally[]> {
  // Each metric is a column until the rows are few: documents of 100,000 trials are not made anew.
  const names = metrics.map((_, index) => sql.ref(`metric_${index}`));
  const values = metrics.map(
    (metric, index) => sql`, coalesce((${STANDING_METRICS}) -> ${metric}::text, 'null') as ${names[index]}`,
  );
  const shown = metrics.flatMap((metric, index) => [sql`${metric}::text`, names[index]!]);
  const listed = names.map((name) => sql`, ${name}`);
  const { rows } = await sql<TrialTally>`
    with recursive ${judgedRuns(sql`t.campaign_id = ${campaignId}`)},
    standing as (
      select t.system_id, ${GROUP} as task_group, t.state, ${standing('outcome')} as outcome,
        ${STANDING_N} - 1 as earlier_runs, ${worked('started_at')} as started_at,
        ${worked('ended_at')} as ended_at, ${PLACE} as place ${sql.join(values, sql``)}
      from trials t join batches b on b.id = t.batch_id ${TASK} ${STANDING_RUN}
      left join judged j on j.trial_id = t.id
      where t.campaign_id = ${campaignId})
    select system_id as "systemId", task_group as "group", state, outcome,
      jsonb_build_object(${sql.join(shown)}) as metrics,
      count(*) as trials, sum(earlier_runs)::bigint as "earlierRuns", min(started_at) as "startedAt",
      max(ended_at) as "endedAt"
    from standing group by system_id, task_group, state, outcome ${sql.join(listed, sql``)}
    order by min(place)`.execute(kysely);
  return rows;
}

/** Where every task is tried once the tallies say it all, and nothing is read. */
async function tasks(kysely: Kysely<Tables>, campaignId: string): Promise<TaskTally[]> {
  const { rows } = await sql<TaskTally>`
    with grades as (
      select t.system_id, ${GROUP} as task_group, t.task_id,
        count(*) filter (where ${standing('outcome')} in ('passed', 'failed')) as graded,
        count(*) filter (where ${standing('outcome')} = 'passed') as passed
      from trials t ${TASK} ${STANDING_RUN}
      where t.campaign_id = ${campaignId}
        and (select (spec ->> 'repeats')::int from campaigns where id = ${campaignId}) > 1
      group by 1, 2, 3)
    select system_id as "systemId", task_group as "group", graded, passed, count(*) as tasks
    from grades group by 1, 2, 3, 4`.execute(kysely);
  return rows;
}

async function outcomes(
  kysely: Kysely<Tables>,
  campaignId: string,
  metrics: readonly string[],
): Promise<TaskOutcome[]> {
  const graded = sql`filter (where ${standing('outcome')} in ('passed', 'failed'))`;
  const sums = metrics.flatMap((metric) => {
    const value = sql`((${STANDING_METRICS}) ->> ${metric}::text)::float8`;
    const [sum, trials] = [sql`coalesce(sum(${value}) ${graded}, 0)`, sql`count(${value}) ${graded}`];
    return [sql`${metric}::text`, sql`jsonb_build_object('sum', ${sum}, 'trials', ${trials})`];
  });
  const first = (outcome: 'passed' | 'failed') =>
    sql`(array_agg(t.id order by t.repeat) filter (where ${standing('outcome')} = ${outcome}))[1]`;
  const { rows } = await sql<TaskOutcome>`
    select t.system_id as "systemId", t.task_id as "taskId", ${GROUP} as "group", k.sha256,
      count(*) ${graded} as graded,
      count(*) filter (where ${standing('outcome')} = 'passed') as passed,
      jsonb_build_object(${sql.join(sums)}) as metrics,
      ${first('passed')} as "passedTrial", ${first('failed')} as "failedTrial"
    from trials t ${TASK} ${STANDING_RUN}
    where t.campaign_id = ${campaignId}
    group by t.system_id, t.task_id, k.task_group, k.sha256 order by t.system_id, t.task_id`.execute(kysely);
  return rows;
}

/** A trial that ran twice may have paid twice. */
async function meanRunCosts(kysely: Kysely<Tables>, campaignId: string): ReturnType<Records['meanRunCosts']> {
  const { rows } = await sql<{ systemId: string; microUsd: number }>`
    with cost as (${campaignCosts(kysely, campaignId)})
    select t.system_id as "systemId", avg(coalesce(cost.micro_usd, 0)::numeric / t.n)::float8 as "microUsd"
    from trials t left join cost on cost.trial_id = t.id ${STANDING_RUN}
    where t.campaign_id = ${campaignId} and ${standing('outcome')} in ('passed', 'failed')
    group by t.system_id`.execute(kysely);
  return rows;
}

async function failures(kysely: Kysely<Tables>, campaignId: string): Promise<FailureTally[]> {
  // Messages may be long: only those that are shown are read.
  const { rows } = await sql<FailureTally>`
    with failed as (
      select t.id, s.n, t.system_id, ${standing('outcome')} as outcome, ${standing('blame')} as blame,
        coalesce(${standing('reason')}, 'unknown') as reason, ${standing('message')} is not null as speaks, ${PLACE} as place
      from trials t join batches b on b.id = t.batch_id ${STANDING_RUN}
      where t.campaign_id = ${campaignId} and ${standing('outcome')} <> 'passed'),
    kinds as (
      select system_id, outcome, blame, reason, count(*) as trials, (array_agg(place order by place))[1:3] as first,
        min(place) filter (where speaks) as told
      from failed group by 1, 2, 3, 4),
    shown as (
      select f.place, f.id, said.message, said.advice
      from (select distinct unnest(first || told) as place from kinds) w join failed f on f.place = w.place
      cross join lateral (
        select t.message, t.advice from trials t where f.n is null and t.id = f.id
        union all
        select r.message, r.advice from trial_runs r where r.trial_id = f.id and r.n = f.n) said)
    select system_id as "systemId", outcome, blame, reason, trials,
      array(select id from shown where place = any(first) order by place) as examples,
      (select message from shown where place = told) as message,
      (select advice from shown where place = told) as advice
    from kinds order by first[1]`.execute(kysely);
  return rows;
}

/** Of all votes that were held, in whichever run of a trial. */
async function abstentions(kysely: Kysely<Tables>, campaignId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from votes v join trials t on v.owner_kind = 'trial' and t.id = v.owner_id
    where t.campaign_id = ${campaignId} and v.answer = 'abstain'`.execute(kysely);
  return rows[0]?.count ?? 0;
}
