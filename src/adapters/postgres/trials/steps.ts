import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { Json } from '../../../contract/json.js';
import type { OwnerRef, StepStage } from '../../../contract/stage.js';
import type { AttemptRecord, Records, StepRecord } from '../../../ports/records.js';
import { superseded, unknownRecord } from '../campaigns/admission.js';
import { storable, storableJson } from '../../../domain/text/storable.js';
import type { Database } from '../schema/database.js';
import { jsonText } from './open-trials.js';

/** Looking steps up and writing them. Each write is one statement, so one round trip and one transaction. */
export function steps({
  kysely,
}: Database): Pick<Records, 'findStep' | 'findSteps' | 'recordStep' | 'recordFailedAttempt'> {
  const findStep: Records['findStep'] = async ({ owner, n, stage, step, inputHash }) => {
    const { rows } = await sql<{ result: Json }>`
      select result from steps
      where owner_kind = ${owner.kind} and owner_id = ${owner.id} and stage = ${stage} and step = ${step}
        and input_hash = ${inputHash} and edition = ${edition({ owner, n, stage })}`.execute(kysely);
    return rows[0]?.result;
  };

  return {
    findStep,

    async findSteps({ owner, stage, steps: names }) {
      const { rows } = await sql<{ step: string; result: Json }>`
        select distinct on (step) step, result from steps
        where owner_kind = ${owner.kind} and owner_id = ${owner.id} and stage = ${stage}
          and step = any(${[...names]}::text[])
        order by step, ended_at desc`.execute(kysely);
      return Object.fromEntries(rows.map(({ step, result }) => [step, result]));
    },

    async recordStep(given) {
      // What is returned goes into the history and must be what a later look-up finds.
      const record = { ...given, result: storable(given.result) };
      const { rows } = await sql<Written>`${stepStatement(record)}`.execute(kysely);
      await refuseStale(rows[0], record);
      if (rows[0]?.inserted) return record.result;
      // Recorded before, by an earlier attempt or one that ran beside this: the first result stands.
      const standing = await findStep(record);
      return standing === undefined ? record.result : standing;
    },

    async recordFailedAttempt(failed) {
      const { rows } = await sql<Written>`
        with guard as (${guard(failed)}),
        attempt as (${insertAttempt(failed)}),
        budget as (
          update campaigns c set budget_exhausted_at = now() from guard
          where c.id = guard.campaign_id and c.budget_exhausted_at is null
            and ${failed.attempt.failure?.type === 'budget.exhausted'}::boolean)
        select false as inserted from guard`.execute(kysely);
      await refuseStale(rows[0], failed);
    },
  };

  async function refuseStale(written: Written | undefined, write: Write): Promise<void> {
    if (written !== undefined) return;
    const { rows } = await sql`select from ${ownerTable(write.owner)} where id = ${write.owner.id}`.execute(kysely);
    if (rows.length === 0) throw unknownRecord(write.owner.kind, write.owner.id);
    throw superseded(`run ${write.n} of ${write.owner.kind} ${write.owner.id}`);
  }
}

interface Write {
  owner: OwnerRef;
  epoch: number;
  n: number;
  stage: StepStage;
  step: string;
  attempt: AttemptRecord;
}

/** One row when the guard let the write through; `inserted` is false when the step was there already. */
interface Written {
  inserted: boolean;
}

function stepStatement(record: StepRecord): RawBuilder<unknown> {
  const { owner, stage, step, inputHash, n, attempt } = record;
  return sql`
    with guard as (${guard(record)}),
    attempt as (${insertAttempt(record)}),
    step as (
      insert into steps (owner_kind, owner_id, stage, step, input_hash, edition, n, attempt, result, started_at, ended_at)
      select ${owner.kind}, ${owner.id}, ${stage}, ${step}, ${inputHash}, ${edition(record)}, ${n}::integer,
        ${attempt.attempt}::integer, ${storableJson(record.result)}::jsonb, ${attempt.startedAt}::timestamptz,
        ${attempt.endedAt}::timestamptz
      from guard on conflict do nothing
      returning owner_kind, owner_id, n, stage, step, input_hash, edition, attempt),
    proof as (
      insert into evidence (owner_kind, owner_id, n, stage, step, input_hash, edition, attempt,
        name, sha256, size_bytes, media_type, truncated)
      select step.*, e.name, e.sha256, e."sizeBytes", e."mediaType", e.truncated
      from step, jsonb_to_recordset(${storableJson(record.evidence)}::jsonb)
        as e(name text, sha256 text, "sizeBytes" bigint, "mediaType" text, truncated boolean)
      on conflict do nothing),
    ballot as (
      insert into votes (owner_kind, owner_id, n, stage, step, input_hash, edition,
        match, round, voter, model, answer, reason)
      select step.owner_kind, step.owner_id, step.n, step.stage, step.step, step.input_hash, step.edition,
        v.match, v.round, v.voter, v.model, v.answer, v.reason
      from step, jsonb_to_recordset(${storableJson(record.votes)}::jsonb)
        as v(match integer, round integer, voter integer, model text, answer text, reason text))
    select exists (select from step) as inserted from guard`;
}

/** The campaign of the owner, if epoch and run are the current ones. */
function guard({ owner, epoch, n }: Write): RawBuilder<unknown> {
  return sql`
    select c.id as campaign_id from ${ownerTable(owner)} o join campaigns c on c.id = o.campaign_id
    where o.id = ${owner.id} and o.n = ${n} and c.epoch = ${epoch}`;
}

/** Which making of a stage's steps counts in a run: the first, or the one of the run that asked for it anew. */
function edition({ owner, n, stage }: Pick<Write, 'owner' | 'n' | 'stage'>): RawBuilder<unknown> {
  if (owner.kind === 'generation') return sql`1`;
  return sql`coalesce((
    select coalesce(r.editions ->> ${stage}::text, r.editions ->> 'all') from trial_runs r
    where r.trial_id = ${owner.id} and r.n = ${n})::integer, 1)`;
}

function insertAttempt({ owner, epoch, n, stage, step, attempt }: Write): RawBuilder<unknown> {
  return sql`
    insert into attempts (owner_kind, owner_id, n, stage, step, epoch, attempt, worker, started_at, ended_at, failure,
      evidence)
    select ${owner.kind}, ${owner.id}, ${n}::integer, ${stage}, ${step}, ${epoch}::integer,
      ${attempt.attempt}::integer, ${attempt.worker}, ${attempt.startedAt}::timestamptz,
      ${attempt.endedAt}::timestamptz, ${jsonText(attempt.failure)}::jsonb,
      ${jsonText(attempt.evidence ?? [])}::jsonb
    from guard on conflict do nothing`;
}

const ownerTable = (owner: OwnerRef): RawBuilder<unknown> =>
  sql.table(owner.kind === 'trial' ? 'trials' : 'generations');
