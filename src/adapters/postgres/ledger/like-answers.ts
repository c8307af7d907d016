import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { ModelSpec } from '../../../contract/campaign.js';
import type { Json } from '../../../contract/json.js';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import { likeSystems } from './like-work.js';

type Plan = Parameters<Records['likeAnswers']>[0];

/** What is no part of a question; prices are compared with the work. */
const BESIDE = ['apiKeyEnv', 'rules', 'timeoutSeconds', 'stored', 'batchApi'] as const satisfies (keyof ModelSpec)[];

/** How much of a plan other campaigns have answers to. */
export function likeAnswers({ kysely }: Database): Pick<Records, 'likeAnswers'> {
  return {
    likeAnswers: (plan) =>
      reading(kysely, async (transaction) => {
        const { rows } = await answered(plan).execute(transaction);
        return plan.spec.systems.map(({ id }) => {
          const count = (kind: string): number =>
            rows.find((row) => row.systemId === id && row.kind === kind)?.answered ?? 0;
          return { systemId: id, trials: count('trial'), candidates: count('generation') };
        });
      }),
  };
}

/** Prompts are made when a step begins, so what is asked is told by what it is made of: system, models, suite and task. */
const answered = ({
  id,
  spec,
  lock,
  dataset,
}: Plan): RawBuilder<{ systemId: string; kind: string; answered: number }> => sql`
  with ${likeSystems(spec)},
  asking as (
    select * from jsonb_to_recordset(${JSON.stringify(askingOf(spec))}::jsonb) as a(id text, model jsonb, purposes jsonb)),
  tasks as (
    select * from jsonb_to_recordset(${JSON.stringify(tasksOf(dataset))}::jsonb) as t(id text, sha256 text, scope text)),
  same as (
    select l.*
    from like_systems l join asking a on a.id = l.wanted join campaigns c on c.id = l.campaign_id
    join lateral jsonb_array_elements(c.spec -> 'systems') s on s ->> 'id' = l.system_id
    where c.id <> ${id} and c.lock ->> 'suiteVersion' = ${lock.suiteVersion}
      and c.lock ->> 'graderDigest' = ${lock.graderDigest}
      and coalesce((c.spec -> 'models' -> (s ->> 'model')) - ${[...BESIDE]}::text[], 'null') = a.model
      and coalesce((
        select jsonb_object_agg(p.key, (c.spec -> 'models' -> p.value) - ${[...BESIDE]}::text[])
        from jsonb_each_text(s -> 'purposes') p), '{}') = a.purposes),
  owners as (
    select s.wanted, 'trial' as kind, t.id, t.task_id as what, t.repeat
    from same s join trials t on t.campaign_id = s.campaign_id and t.system_id = s.system_id
    join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    join tasks on tasks.id = t.task_id and tasks.sha256 = k.sha256
    where t.outcome in ('passed', 'failed')
    union all
    select s.wanted, 'generation', g.id, g.scope, g.repeat
    from same s join generations g on g.campaign_id = s.campaign_id and g.system_id = s.system_id
    where g.state = 'done' and g.failure is null
      -- It is asked for all of its tasks together.
      and (select array_agg(k.task_id || k.sha256 order by 1) from campaign_tasks k
        where k.campaign_id = g.campaign_id and k.scope = g.scope)
        = (select array_agg(tasks.id || tasks.sha256 order by 1) from tasks where tasks.scope = g.scope))
  select wanted as "systemId", kind, count(distinct (what, repeat)) as answered
  from owners o
  where repeat <= ${spec.repeats} and exists (
    select from calls c
    where c.owner_kind = o.kind and c.owner_id = o.id and c.state = 'answered' and c.question is not null)
  group by 1, 2`;

function askingOf({ systems, models }: Plan['spec']): Json {
  const asked = (key: string): Json => {
    const { ...spec } = models[key] as unknown as Record<string, Json>;
    for (const name of BESIDE) delete spec[name];
    return spec;
  };
  return systems.map(({ id, model, purposes }) => ({
    ...{ id, model: model === null ? null : asked(model) },
    purposes: Object.fromEntries(Object.entries(purposes).map(([purpose, key]) => [purpose, asked(key)])),
  }));
}

const tasksOf = ({ tasks }: Plan['dataset']): Json =>
  tasks.map(({ id, sha256, candidateScope }) => ({ id, sha256, scope: candidateScope }));
