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
        select(transaction, sql`t.campaign_id = ${campaignId}`, sql`c.campaign_id = ${campaignId}`),
      ),
    trial: (trialId) =>
      reading(kysely, async (transaction) => {
        const [trial] = await select(transaction, sql`t.id = ${trialId}`, sql`c.owner_id = ${trialId}`);
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
  started_at: string | null;
  ended_at: string | null;
  micro_usd: number | null;
  tokens: number | null;
}

/** In plan order. The costs are summed once for all chosen trials, not once a trial. */
async function select(
  kysely: Kysely<Tables>,
  chosen: RawBuilder<unknown>,
  calls: RawBuilder<unknown>,
): Promise<TrialRow[]> {
  const { rows } = await sql<Row>`
    with cost as (
      select c.owner_id, sum(s.actual_micro_usd)::bigint as micro_usd,
        sum(s.actual_tokens)::bigint as tokens
      from calls c join sends s on s.key = c.key
      where ${calls} and c.owner_kind = 'trial' and s.state in ('settled', 'ambiguous') group by c.owner_id)
    select t.id, t.campaign_id, t.batch_id, t.task_id, t.system_id, t.repeat, k.task_group, k.category, t.state,
      t.outcome, t.blame, t.reason, t.message, t.metrics, t.n, t.started_at, t.ended_at, cost.micro_usd, cost.tokens
    from trials t
    join batches b on b.id = t.batch_id
    left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    left join cost on cost.owner_id = t.id
    where ${chosen} order by b.ordinal, t.ordinal`.execute(kysely);
  return rows.map(toTrialRow);
}

function toTrialRow(row: Row): TrialRow {
  const { id, repeat, category, state, outcome, blame, reason, message, n } = row;
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
    startedAt: row.started_at,
    endedAt: row.ended_at,
    costMicroUsd: row.micro_usd ?? 0,
    tokens: row.tokens ?? 0,
  };
}
