import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { Json } from '../../../contract/json.js';
import type { LikeWork, WorkSamples } from '../../../ports/record-sums.js';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';

const MEASURES = ['calls', 'tokens', 'microUsd'] as const;

type Row = { systemId: string; kind: 'trial' | 'generation'; pieces: number } & Record<
  `${(typeof MEASURES)[number]}${'Mean' | 'Deviation'}`,
  number
>;

export type LikeSpec = Parameters<Records['likeWork']>[0];

/** `like_systems`: the systems of the campaigns there are that are like one of a plan, which is `wanted`. */
export function likeSystems({ suite, judge, models, systems }: LikeSpec): RawBuilder<unknown> {
  const wanted: Json = systems.map(({ id, generator, options, model, purposes, vote }) => {
    const spec = model === null ? undefined : models[model];
    const price = (spec?.price ?? null) as Json;
    const factor = spec?.batchApi?.priceFactor ?? null;
    return { id, generator, options, purposes, vote, name: spec?.name ?? null, price, factor };
  });
  return sql`
    wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as w(id text, generator text, options jsonb, purposes jsonb, vote jsonb, name text, price jsonb,
          factor float8)),
    like_systems as (
      select c.id as campaign_id, s ->> 'id' as system_id, w.id as wanted
      from campaigns c cross join lateral jsonb_array_elements(c.spec -> 'systems') s
      join wanted w on w.generator = s ->> 'generator' and w.options = s -> 'options' and w.purposes = s -> 'purposes'
        and coalesce(w.vote, 'null') = coalesce(s -> 'vote', 'null')
        and w.name is not distinct from c.spec -> 'models' -> (s ->> 'model') ->> 'name'
        and coalesce(w.price, 'null') = coalesce(c.spec -> 'models' -> (s ->> 'model') -> 'price', 'null')
        and w.factor is not distinct from
          (c.spec -> 'models' -> (s ->> 'model') -> 'batchApi' ->> 'priceFactor')::float8
      where c.suite = ${suite} and c.spec -> 'judge' = ${JSON.stringify(judge)}::jsonb)`;
}

/** What work like that of a plan came to in the campaigns there are. */
export function likeWork({ kysely }: Database): Pick<Records, 'likeWork'> {
  return {
    likeWork: (spec) =>
      reading(kysely, async (transaction) => {
        const figures = sql.join(
          MEASURES.map(
            (name) => sql`
              coalesce(avg(${sql.ref(name)}), 0)::float8 as ${sql.ref(`${name}Mean`)},
              coalesce(stddev_samp(${sql.ref(name)}), 0)::float8 as ${sql.ref(`${name}Deviation`)}`,
          ),
        );
        const { rows } = await sql<Row>`
          with ${likeSystems(spec)},
          owners as (
            select l.wanted, 'trial' as kind, t.id
            from like_systems l join trials t on t.campaign_id = l.campaign_id and t.system_id = l.system_id
            where t.outcome in ('passed', 'failed') and t.n = 1
            union all
            select l.wanted, 'generation', g.id
            from like_systems l join generations g on g.campaign_id = l.campaign_id and g.system_id = l.system_id
            where g.state = 'done' and g.failure is null and g.n = 1),
          spent as (
            select o.wanted, o.kind, o.id, count(distinct c.key) as calls,
              coalesce(sum(s.actual_tokens), 0) as tokens, coalesce(sum(s.actual_micro_usd), 0) as "microUsd"
            from owners o left join calls c on c.owner_kind = o.kind and c.owner_id = o.id
            -- An answer that was lost is no part of what such work needs.
            left join sends s on s.key = c.key and s.state = 'settled'
            group by 1, 2, 3
            -- What took over the answers of another campaign says nothing of one that asks.
            having count(c.reused_from) = 0)
          select wanted as "systemId", kind, count(*) as pieces, ${figures}
          from spent group by 1, 2`.execute(transaction);
        return spec.systems.map(({ id }): LikeWork => {
          const of = (kind: Row['kind']): WorkSamples =>
            samples(rows.find((row) => row.systemId === id && row.kind === kind));
          return { systemId: id, trials: of('trial'), candidates: of('generation') };
        });
      }),
  };
}

function samples(row: Row | undefined): WorkSamples {
  const sample = (name: (typeof MEASURES)[number]) => ({
    pieces: row?.pieces ?? 0,
    mean: row?.[`${name}Mean`] ?? 0,
    deviation: row?.[`${name}Deviation`] ?? 0,
  });
  return { calls: sample('calls'), tokens: sample('tokens'), microUsd: sample('microUsd') };
}
