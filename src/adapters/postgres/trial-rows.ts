import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Outcome } from '../../contract/verdict.js';
import type { Records, TrialRow } from '../../ports/records.js';
import { unknownRecord } from './admission.js';
import type { Database } from './database.js';
import { reading } from './reading.js';
import type { Tables } from './tables.js';
import { trialDetail } from './trial-detail.js';

/** Trials for lists, reports and `show`. */
export function trialRows({ kysely }: Database): Pick<Records, 'trials' | 'trial'> {
  return {
    trials: (campaignId) =>
      reading(kysely, (transaction) =>
        select(transaction, {
          trials: sql`t.campaign_id = ${campaignId}`,
          calls: sql`c.campaign_id = ${campaignId}`,
        }),
      ),
    trial: (trialId) =>
      reading(kysely, async (transaction) => {
        const [trial] = await select(transaction, {
          trials: sql`t.id = ${trialId}`,
          calls: sql`c.owner_id = ${trialId}`,
        });
        if (trial === undefined) throw unknownRecord('trial', trialId);
        return { trial, ...(await trialDetail(transaction, trialId)) };
      }),
  };
}

interface Row {
  id: string;
  campaign_id: string;
  batch_id: string;
  task_id: string;
  system_id: string;
  repeat: number;
  task_group: string | null;
  category: string | null;
  state: TrialRow['state'];
  outcome: Outcome | null;
  blame: string | null;
  reason: string | null;
  message: string | null;
  metrics: Record<string, number | null> | null;
  n: number;
  runs: number;
  again: TrialRow['again'];
  regraded: TrialRow['regraded'];
  started_at: string | null;
  ended_at: string | null;
  micro_usd: number | null;
  tokens: number | null;
}

/** Which rows are read, as conditions over `trials t` and `calls c`. */
interface Chosen {
  trials: RawBuilder<unknown>;
  calls: RawBuilder<unknown>;
}

/**
 * In plan order. The costs are summed once for all chosen trials, not once a trial. Few trials have another run than
 * their last one that counts: for those alone runs are looked up.
 */
async function select(kysely: Kysely<Tables>, chosen: Chosen): Promise<TrialRow[]> {
  const { rows } = await sql<Row>`
    with cost as (
      select c.owner_id, sum(s.actual_micro_usd)::bigint as micro_usd,
        sum(s.actual_tokens)::bigint as tokens
      from calls c join sends s on s.key = c.key
      where ${chosen.calls} and c.owner_kind = 'trial' and s.state in ('settled', 'ambiguous') group by c.owner_id)
    select t.id, t.campaign_id, t.batch_id, t.task_id, t.system_id, t.repeat, k.task_group, k.category, t.state,
      coalesce(s.n, t.n) as n, t.n as runs, ${standing('outcome')}, ${standing('blame')}, ${standing('reason')},
      ${standing('message')}, case when s.n is null then t.metrics else s.verdict -> 'metrics' end as metrics,
      ${standing('started_at')}, ${standing('ended_at')}, again.run as again, before.run as regraded,
      cost.micro_usd, cost.tokens
    from trials t
    join batches b on b.id = t.batch_id
    left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    left join cost on cost.owner_id = t.id
    left join trial_runs s on s.trial_id = t.id and s.n = t.scored_n
    left join lateral (
      select ${RUN} as run from trial_runs
      where trial_id = t.id and kind = 'again' and t.scored_n is not null order by n desc limit 1) again on true
    left join lateral (
      select ${RUN} as run from trial_runs
      where trial_id = t.id and n = s.of_run and s.kind = 'regrade' limit 1) before on true
    where ${chosen.trials} order by b.ordinal, t.ordinal`.execute(kysely);
  return rows.map(toTrialRow);
}

/** A column of the run that counts. */
function standing(column: 'outcome' | 'blame' | 'reason' | 'message' | 'started_at' | 'ended_at'): RawBuilder<unknown> {
  const name = sql.ref(column);
  return sql`case when s.n is null then t.${name} else s.${name} end as ${name}`;
}

/** A row of `trial_runs` as a small document. */
const RUN = sql`jsonb_build_object('n', n, 'outcome', outcome, 'reason', reason)`;

function toTrialRow(row: Row): TrialRow {
  const { id, repeat, category, state, outcome, blame, reason, message, n, runs, again, regraded } = row;
  return {
    id,
    campaignId: row.campaign_id,
    batchId: row.batch_id,
    taskId: row.task_id,
    systemId: row.system_id,
    repeat,
    group: row.task_group ?? '',
    category,
    state,
    outcome,
    blame,
    reason,
    message,
    metrics: row.metrics ?? {},
    n,
    runs,
    again,
    regraded,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    costMicroUsd: row.micro_usd ?? 0,
    tokens: row.tokens ?? 0,
  };
}
