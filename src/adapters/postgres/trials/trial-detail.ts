import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { EvidenceRef } from '../../../contract/evidence.js';
import type { Json } from '../../../contract/json.js';
import type { OwnerRef } from '../../../contract/stage.js';
import type { SkippedStage, Verdict } from '../../../contract/verdict.js';
import type { Records, RunRow, StepRow } from '../../../ports/records.js';
import type { Tables } from '../schema/tables.js';

/** Everything a trial left behind, oldest first. */
export async function trialDetail(
  kysely: Kysely<Tables>,
  trialId: string,
): Promise<Omit<Awaited<ReturnType<Records['trial']>>, 'trial'>> {
  const runs = await selectRuns(kysely, trialId);
  const owner = { kind: 'trial', id: trialId } as const;
  const steps = await selectSteps(kysely, owner);
  const votes = await kysely
    .selectFrom('votes')
    .select(['match', 'round', 'voter', 'model', 'answer', 'reason'])
    .where('owner_kind', '=', 'trial')
    .where('owner_id', '=', trialId)
    .orderBy('edition')
    .orderBy('match')
    .orderBy('round')
    .orderBy('voter')
    .execute();
  const attempts = await selectAttempts(kysely, owner);
  return { runs, steps, votes, attempts };
}

async function selectRuns(kysely: Kysely<Tables>, trialId: string): Promise<RunRow[]> {
  const { rows } = await sql<
    Omit<RunRow, 'verdict' | 'skipped'> & { verdict: Verdict | null; skipped: SkippedStage[] | null }
  >`
    select n, workflow_id as "workflowId", workflow_run_id as "workflowRunId", outcome, blame, reason, message, advice, verdict,
      skipped, kind, of_run as "ofRun", started_at as "startedAt", ended_at as "endedAt"
    from trial_runs where trial_id = ${trialId} order by n`.execute(kysely);
  return rows.map((row) => ({ ...row, skipped: row.skipped ?? [] }));
}

/** Steps of a trial or generation with their results and evidence, oldest first. */
export async function selectSteps(kysely: Kysely<Tables>, { kind, id }: OwnerRef): Promise<StepRow[]> {
  const { rows } = await sql<Omit<StepRow, 'evidence'> & { result: Json; evidence: EvidenceRef[] }>`
    select s.stage, s.step, s.n, s.attempt, s.result, s.started_at as "startedAt", s.ended_at as "endedAt",
      jsonb_build_object('answered', coalesce(c.answered, 0), 'replayed', coalesce(c.replayed, 0),
        'reused', coalesce(c.reused, 0)) as calls,
      coalesce((
        select jsonb_agg(jsonb_build_object('sha256', e.sha256, 'sizeBytes', e.size_bytes, 'mediaType', e.media_type,
          'name', e.name, 'truncated', e.truncated) order by e.name)
        from evidence e
        where e.owner_id = s.owner_id and e.owner_kind = s.owner_kind and e.stage = s.stage and e.step = s.step
          and e.input_hash = s.input_hash and e.edition = s.edition), '[]'::jsonb) as evidence
    from steps s
    left join (
      select stage, step, count(*) filter (where state = 'answered') as answered,
        count(*) filter (where is_replayed) as replayed, count(reused_from) as reused
      from calls where owner_kind = ${kind} and owner_id = ${id} group by 1, 2
    ) c on c.stage = s.stage and c.step = s.step
    where s.owner_kind = ${kind} and s.owner_id = ${id} order by s.ended_at, s.stage`.execute(kysely);
  return rows;
}

/** Attempts at its stages, oldest first. */
export async function selectAttempts(
  kysely: Kysely<Tables>,
  { kind, id }: OwnerRef,
): Promise<Awaited<ReturnType<Records['trial']>>['attempts']> {
  const rows = await kysely
    .selectFrom('attempts')
    .select(['stage', 'step', 'n', 'attempt', 'worker', 'started_at', 'ended_at', 'failure', 'evidence'])
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .orderBy('started_at')
    .execute();
  return rows.map(({ started_at: startedAt, ended_at: endedAt, ...row }) => ({ ...row, startedAt, endedAt }));
}
