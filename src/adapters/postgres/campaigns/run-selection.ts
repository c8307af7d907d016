import type { RawBuilder, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { FailureType } from '../../../contract/failure.js';
import type { Outcome } from '../../../contract/verdict.js';
import type { PlannedRun, RunKind, RunSelection } from '../../../ports/records.js';
import type { RunToPlan } from './planned-runs.js';
import type { Tables } from '../schema/tables.js';

/** What a command would run: what the operator is told, and what is planned. */
export interface SelectedRun {
  told: PlannedRun;
  run: RunToPlan;
}

/** The trials a command names, in plan order, with the run each would get; `isLocked`: none ends meanwhile. */
export async function selectRuns(
  transaction: Transaction<Tables>,
  { campaignId, selection, isLocked }: { campaignId: string; selection: RunSelection; isLocked: boolean },
): Promise<SelectedRun[]> {
  const { rows } = await sql<Row>`
    select t.id, t.system_id, t.state, t.n, t.outcome, t.reason, t.started_at is not null as started,
      r.kind, r.of_run, r.editions, r.fresh,
      coalesce(s.n, t.n) as scored_n, coalesce(s.outcome, t.outcome) as scored_outcome,
      coalesce(s.editions, r.editions) as scored_editions, coalesce(s.fresh, r.fresh) as scored_fresh
    from trials t
    join batches b on b.id = t.batch_id
    join trial_runs r on r.trial_id = t.id and r.n = t.n
    left join trial_runs s on s.trial_id = t.id and s.n = t.scored_n
    where t.campaign_id = ${campaignId} and (${condition(selection)}) order by b.ordinal, t.ordinal
    ${isLocked ? sql`for update of t` : sql``}`.execute(transaction);
  return rows.map((row) => {
    const run = runOf(row, selection);
    return { run, told: { trialId: row.id, systemId: row.system_id, n: run.next, kind: run.kind, why: why(row) } };
  });
}

interface Row {
  id: string;
  system_id: string;
  state: 'planned' | 'running' | 'done';
  n: number;
  outcome: Outcome | null;
  reason: string | null;
  started: boolean;
  kind: RunKind;
  of_run: number | null;
  editions: Record<string, number>;
  fresh: number;
  /** The run that counts. */
  scored_n: number;
  scored_outcome: Outcome | null;
  scored_editions: Record<string, number>;
  scored_fresh: number;
}

function condition(selection: RunSelection): RawBuilder<unknown> {
  switch (selection.action) {
    case 'resume':
      return sql`t.state <> 'done' or t.outcome = 'not_run'`;
    case 'regrade':
      return sql`t.state = 'done' and coalesce(s.outcome, t.outcome) in ('passed', 'failed')
        and (case when s.n is null then r.verdict else s.verdict end) is not null`;
    case 'retry':
      return typeof selection.which === 'string'
        ? sql`t.state = 'done' and t.outcome = ${selection.which}`
        : sql`t.state = 'done' and t.id = any(${[...selection.which]})`;
  }
}

function runOf(row: Row, selection: RunSelection): RunToPlan {
  const { id: trialId, n, kind, of_run: ofRun, editions, fresh, scored_n: scoredN } = row;
  // What a pause held between two turns goes on in its run.
  const isUntouched = row.state === 'planned' || (!row.started && row.outcome === 'not_run');
  const next = isUntouched ? n : n + 1;
  if (selection.action === 'regrade') {
    const stages: Record<string, number> = selection.vote ? { vote: next, score: next } : { score: next };
    const basis = { editions: { ...row.scored_editions, ...stages }, fresh: row.scored_fresh };
    return { trialId, n, next, kind: 'regrade', ofRun: scoredN, ...basis };
  }
  const isFresh = selection.action === 'retry' && selection.fresh;
  const isGraded = row.outcome === 'passed' || row.outcome === 'failed';
  const samples = isFresh ? next : fresh;
  if (isGraded) return { trialId, n, next, kind: 'again', ofRun: scoredN, editions: { all: next }, fresh: samples };
  // What the judge said is recorded, and would be found again.
  const isAnew = isFresh || (selection.action === 'retry' && row.reason === ('judge.no-answer' satisfies FailureType));
  return { trialId, n, next, kind, ofRun, editions: isAnew ? { all: next } : editions, fresh: samples };
}

function why({ state, outcome, reason, started }: Row): string {
  if (state === 'running') return 'interrupted';
  if (state === 'planned') return started ? 'held' : 'not started';
  return [outcome?.replace('_', ' '), reason].filter(Boolean).join(': ');
}
