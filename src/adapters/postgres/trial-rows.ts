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
          scored: sql`s.campaign_id = ${campaignId}`,
        }),
      ),
    trial: (trialId) =>
      reading(kysely, async (transaction) => {
        const [trial] = await select(transaction, {
          trials: sql`t.id = ${trialId}`,
          calls: sql`c.owner_id = ${trialId}`,
          scored: sql`s.trial_id = ${trialId}`,
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

/** Which rows are read, as conditions over `trials t`, `calls c` and `scored_runs s`. */
interface Chosen {
  trials: RawBuilder<unknown>;
  calls: RawBuilder<unknown>;
  scored: RawBuilder<unknown>;
}

/**
 * In plan order. The costs are summed once for all chosen trials, not once a trial. Few trials have another run than
 * their last one that counts: `scored` holds those alone.
 */
async function select(kysely: Kysely<Tables>, chosen: Chosen): Promise<TrialRow[]> {
  const { rows } = await sql<Row>`
    with cost as (
      select c.owner_id, sum(s.actual_micro_usd)::bigint as micro_usd,
        sum(s.actual_tokens)::bigint as tokens
      from calls c join sends s on s.key = c.key
      where ${chosen.calls} and c.owner_kind = 'trial' and s.state in ('settled', 'ambiguous') group by c.owner_id),
    scored as (
      select s.*, ${runJson('again')} as again, case s.kind when 'regrade' then ${runJson('before')} end as regraded
      from scored_runs s
      left join lateral (
        select n, outcome, reason from trial_runs
        where trial_id = s.trial_id and kind = 'again' order by n desc limit 1) again on true
      left join trial_runs before on before.trial_id = s.trial_id and before.n = s.of_run
      where ${chosen.scored})
    select t.id, t.campaign_id, t.batch_id, t.task_id, t.system_id, t.repeat, k.task_group, k.category, t.state,
      t.n as runs, s.again, s.regraded, cost.micro_usd, cost.tokens, standing.*
    from trials t
    join batches b on b.id = t.batch_id
    left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    left join cost on cost.owner_id = t.id
    left join scored s on s.trial_id = t.id
    cross join lateral (
      select t.n, t.outcome, t.blame, t.reason, t.message, t.metrics, t.started_at, t.ended_at where s.n is null
      union all
      select s.n, s.outcome, s.blame, s.reason, s.message, s.verdict -> 'metrics', s.started_at, s.ended_at
      where s.n is not null) standing
    where ${chosen.trials} order by b.ordinal, t.ordinal`.execute(kysely);
  return rows.map(toTrialRow);
}

/** A joined run as a small document; null where none was joined. */
function runJson(table: 'again' | 'before'): RawBuilder<unknown> {
  const run = sql.table(table);
  return sql`case when ${run}.n is not null then
    jsonb_build_object('n', ${run}.n, 'outcome', ${run}.outcome, 'reason', ${run}.reason) end`;
}

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
