import type { Kysely, RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { GenerationRow, Records } from '../../../ports/records.js';
import { unknownRecord } from '../campaigns/admission.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import type { Tables } from '../schema/tables.js';
import { selectAttempts, selectSteps } from './trial-detail.js';

/** Generations for lists and `show`. */
export function generationRows({ kysely }: Database): Pick<Records, 'generations' | 'generation'> {
  return {
    generations: (campaignId) =>
      reading(kysely, (transaction) => select(transaction, sql`g.campaign_id = ${campaignId}`)),
    generation: (generationId) =>
      reading(kysely, async (transaction) => {
        const [generation] = await select(transaction, sql`g.id = ${generationId}`);
        if (generation === undefined) throw unknownRecord('generation', generationId);
        const owner = { kind: 'generation', id: generationId } as const;
        const steps = await selectSteps(transaction, owner);
        return { generation, steps, attempts: await selectAttempts(transaction, owner) };
      }),
  };
}

/** In plan order: by the first batch of each. */
async function select(kysely: Kysely<Tables>, chosen: RawBuilder<unknown>): Promise<GenerationRow[]> {
  const { rows } = await sql<GenerationRow>`
    select g.id, g.campaign_id as "campaignId", g.system_id as "systemId", g.scope, g.repeat, g.n, g.state, g.failure,
      case when c.sha256 is not null then jsonb_build_object('sha256', c.sha256, 'sizeBytes', c.size_bytes,
        'files', c.files, 'provenance', c.provenance) end as candidate, last.step as "lastStep",
      g.started_at as "startedAt", g.ended_at as "endedAt", cost.micro_usd as "costMicroUsd", cost.tokens
    from generations g
    left join candidates c on c.generation_id = g.id
    left join lateral (
      select jsonb_build_object('stage', s.stage, 'step', s.step) as step from steps s
      where g.state = 'running' and s.owner_kind = 'generation' and s.owner_id = g.id
      order by s.ended_at desc limit 1) last on true
    left join lateral (
      select coalesce(sum(s.actual_micro_usd), 0)::bigint as micro_usd, coalesce(sum(s.actual_tokens), 0)::bigint as tokens
      from calls k join sends s on s.key = k.key
      where k.owner_kind = 'generation' and k.owner_id = g.id and s.state in ('settled', 'ambiguous')) cost on true
    where ${chosen}
    order by (select min(b.ordinal) from batches b where b.generation_id = g.id), g.id`.execute(kysely);
  return rows;
}
