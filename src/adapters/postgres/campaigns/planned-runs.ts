import type { Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { RunKind } from '../../../ports/records.js';
import type { Tables } from '../schema/tables.js';

/** A run to be planned. */
export interface RunToPlan {
  trialId: string;
  /** The trial's run now. */
  n: number;
  /** The run to plan: n again where nothing of it was started, or where it is held; else n + 1. */
  next: number;
  kind: RunKind;
  ofRun: number | null;
  editions: Record<string, number>;
  fresh: number;
}

/** Plans runs: earlier ones stay as they were left, and what is graded keeps its grade until another one counts. */
export async function planRuns(transaction: Transaction<Tables>, runs: readonly RunToPlan[]): Promise<void> {
  for (let first = 0; first < runs.length; first += CHUNK_ROWS) {
    const rows = JSON.stringify(runs.slice(first, first + CHUNK_ROWS));
    await sql`
      with wanted as (
        select * from jsonb_to_recordset(${rows}::jsonb) as run("trialId" text, n integer, next integer, kind text,
          "ofRun" integer, editions jsonb, fresh integer)),
      planned as (
        update trials t set n = w.next, state = 'planned', claimed_epoch = null, workflow_run_id = null,
          outcome = null, blame = null, reason = null, message = null, advice = null, metrics = null,
          started_at = case when w.next = t.n then t.started_at end, ended_at = null,
          scored_n = case w.kind when 'grade' then t.scored_n else coalesce(t.scored_n, w."ofRun") end
        from wanted w where t.id = w."trialId"),
      cut as (
        update trial_runs r set ended_at = now(), reason = 'run.interrupted'
        from wanted w where r.trial_id = w."trialId" and r.n = w.n and w.next > w.n and r.ended_at is null)
      insert into trial_runs (trial_id, n, kind, of_run, editions, fresh)
      select "trialId", next, kind, "ofRun", editions, fresh from wanted
      on conflict (trial_id, n) do update set outcome = null, blame = null, reason = null, message = null, advice = null,
        verdict = null, skipped = null, ended_at = null`.execute(transaction);
  }
}

/** Runs that were cut off, once more, for the purpose they had; their trials are locked: none ends meanwhile. */
export async function interruptedRuns(transaction: Transaction<Tables>, campaignId: string): Promise<RunToPlan[]> {
  const { rows } = await sql<RunToPlan>`
    select t.id as "trialId", t.n, t.n + 1 as next, r.kind, r.of_run as "ofRun", r.editions, r.fresh
    from trials t join trial_runs r on r.trial_id = t.id and r.n = t.n
    where t.campaign_id = ${campaignId} and t.state = 'running' for update of t`.execute(transaction);
  return rows;
}

/** Opens what planned trials need: their batches, and generations that were cut off or had failed. */
export async function reopen(transaction: Transaction<Tables>, campaignId: string): Promise<void> {
  await sql`
    update batches b set closed_at = null
    where b.campaign_id = ${campaignId} and b.closed_at is not null
      and exists (select from trials t where t.batch_id = b.id and t.state = 'planned')`.execute(transaction);
  await sql`
    update generations g set n = n + 1, state = 'planned', claimed_epoch = null, workflow_run_id = null,
      failure = null, started_at = null, ended_at = null
    where g.campaign_id = ${campaignId} and (g.state = 'running' or (g.failure is not null and exists (
      select from batches b join trials t on t.batch_id = b.id
      where b.generation_id = g.id and t.state = 'planned')))`.execute(transaction);
}

// Some hundred bytes each: a statement of 1 MB.
const CHUNK_ROWS = 5_000;
