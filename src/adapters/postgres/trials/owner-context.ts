import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { CampaignLock, CampaignSpec } from '../../../contract/campaign.js';
import type { CandidateRef } from '../../../contract/candidate.js';
import type { Json, JsonObject } from '../../../contract/json.js';
import type { OwnerContext, Records } from '../../../ports/records.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { superseded, unknownRecord } from '../campaigns/admission.js';
import type { Database } from '../schema/database.js';
import type { Tables } from '../schema/tables.js';

/** What a stage is told of its owner, in one query. */
export function ownerContext({ kysely }: Database): Pick<Records, 'ownerContext'> {
  return {
    async ownerContext(owner, epoch) {
      const row = await (owner.kind === 'trial' ? trialRow(kysely, owner.id) : generationRow(kysely, owner.id));
      if (row === undefined) throw unknownRecord(owner.kind, owner.id);
      if (row.epoch !== epoch) throw superseded(`${owner.kind} ${owner.id}`);
      if (row.is_time_up) throw timeIsUp(row.spec);
      return {
        campaign: { id: row.campaign_id, spec: row.spec, lock: row.lock },
        secret: row.secret,
        owner,
        systemId: row.system_id,
        repeat: row.repeat,
        task: taskOf(row),
        scope: row.scope,
        settings: row.settings,
        fresh: row.fresh,
        run: row.run,
        candidate: candidateOf(row),
        prepared: row.prepared,
      };
    },
  };
}

interface ContextRow {
  campaign_id: string;
  spec: CampaignSpec;
  lock: CampaignLock;
  secret: string;
  epoch: number;
  is_time_up: boolean;
  system_id: string;
  repeat: number;
  settings: JsonObject;
  fresh: number;
  run: number;
  scope: string | null;
  task_id: string | null;
  task_sha256: string | null;
  task_group: string | null;
  category: string | null;
  task_scope: string | null;
  candidate_sha256: string | null;
  size_bytes: number | null;
  files: number | null;
  provenance: CandidateRef['provenance'] | null;
  prepared: Json;
}

/** Whether `campaigns c` has used up its hours: whatever step begins, begins by asking. */
const IS_TIME_UP = sql<boolean>`coalesce(c.works_until <= clock_timestamp(), false)`;

function timeIsUp({ budget }: CampaignSpec): DomainFailure {
  return new DomainFailure('budget.exhausted', `the campaign has run for the ${budget.wallHours} hours of its budget`);
}

async function trialRow(kysely: Kysely<Tables>, id: string): Promise<ContextRow | undefined> {
  const { rows } = await sql<ContextRow>`
    select t.campaign_id, c.spec, c.lock, x.secret, c.epoch, ${IS_TIME_UP} as is_time_up, t.system_id, t.repeat, t.settings,
      r.fresh, 1 as run, g.scope, t.task_id, k.sha256 as task_sha256, k.task_group, k.category, k.scope as task_scope,
      s.sha256 as candidate_sha256, s.size_bytes, s.files, s.provenance, p.result as prepared
    from trials t
    join campaigns c on c.id = t.campaign_id
    join campaign_secrets x on x.campaign_id = c.id
    join trial_runs r on r.trial_id = t.id and r.n = t.n
    join batches b on b.id = t.batch_id
    left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    left join generations g on g.id = b.generation_id
    left join candidates s on s.generation_id = g.id
    left join lateral (
      select result from steps
      where owner_kind = 'generation' and owner_id = g.id and stage = 'prepare' order by ended_at desc limit 1) p on true
    where t.id = ${id}`.execute(kysely);
  return rows[0];
}

async function generationRow(kysely: Kysely<Tables>, id: string): Promise<ContextRow | undefined> {
  const { rows } = await sql<ContextRow>`
    select g.campaign_id, c.spec, c.lock, x.secret, c.epoch, ${IS_TIME_UP} as is_time_up, g.system_id, g.repeat, g.settings,
      0 as fresh, g.n as run, g.scope, null as task_id, null as task_sha256, null as task_group, null as category, null as task_scope,
      s.sha256 as candidate_sha256, s.size_bytes, s.files, s.provenance, null as prepared
    from generations g
    join campaigns c on c.id = g.campaign_id
    join campaign_secrets x on x.campaign_id = c.id
    left join candidates s on s.generation_id = g.id
    where g.id = ${id}`.execute(kysely);
  return rows[0];
}

function taskOf(row: ContextRow): OwnerContext['task'] {
  if (row.task_id === null || row.task_sha256 === null || row.task_group === null) return null;
  const { task_id: id, task_sha256: sha256, task_group: group, category, task_scope: candidateScope } = row;
  return { id, sha256, group, category, candidateScope };
}

function candidateOf(row: ContextRow): CandidateRef | null {
  const { candidate_sha256: sha256, size_bytes: sizeBytes, files, provenance } = row;
  if (sha256 === null || sizeBytes === null || files === null || provenance === null) return null;
  return { sha256, sizeBytes, files, provenance };
}
