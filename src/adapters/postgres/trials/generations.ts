import type { Kysely, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { Failure } from '../../../contract/failure.js';
import type { JsonObject } from '../../../contract/json.js';
import type { GenerationSpec } from '../../../contract/trial.js';
import type { Outcome } from '../../../contract/verdict.js';
import type { Claim, Records } from '../../../ports/records.js';
import {
  ADMISSION,
  holdEpoch,
  lockCampaignOf,
  markBudgetExhausted,
  refusal,
  superseded,
  unknownRecord,
  type AdmissionRow,
} from '../campaigns/admission.js';
import type { Database } from '../schema/database.js';
import { jsonText } from './open-trials.js';
import type { Tables } from '../schema/tables.js';

/** Claiming and closing the making of shared candidates. */
export function generations({
  kysely,
}: Database): Pick<Records, 'claimGeneration' | 'admitGeneration' | 'closeGeneration'> {
  return {
    claimGeneration: (input) => kysely.transaction().execute((transaction) => claim(transaction, input)),
    admitGeneration: (input) => admit(kysely, input),
    closeGeneration: (input) => kysely.transaction().execute((transaction) => close(transaction, input)),
  };
}

type ClaimInput = Parameters<Records['claimGeneration']>[0];

async function claim(transaction: Transaction<Tables>, input: ClaimInput): Promise<Claim> {
  await holdEpoch(transaction, 'generations', input.generationId);
  const generation = await lockedGeneration(transaction, input.generationId);
  const isCurrent = generation.epoch === input.epoch;
  if (isCurrent && generation.state === 'done') return { action: 'skip', outcome: outcomeOf(generation.failure) };
  const isOwn = generation.claimed_epoch === input.epoch && generation.workflow_run_id === input.workflowRunId;
  if (isCurrent && generation.state === 'running' && isOwn) return run(generation, generation.n);
  const refused = refusal(generation, input.epoch);
  if (refused) return refused;
  const n = generation.state === 'running' ? generation.n + 1 : generation.n;
  await sql`
    update generations set n = ${n}, state = 'running', claimed_epoch = ${input.epoch},
      workflow_run_id = ${input.workflowRunId}, started_at = now()
    where id = ${input.generationId}`.execute(transaction);
  return run(generation, n);
}

async function admit(
  kysely: Kysely<Tables>,
  { generationId, epoch }: Parameters<Records['admitGeneration']>[0],
): ReturnType<Records['admitGeneration']> {
  const { rows } = await sql<AdmissionRow & { is_claimed: boolean; is_wanted: boolean }>`
    select ${ADMISSION}, g.claimed_epoch is not null as is_claimed, exists (
      select from batches b join trials t on t.batch_id = b.id
      where b.generation_id = g.id and t.state <> 'done') as is_wanted
    from generations g join campaigns c on c.id = g.campaign_id where g.id = ${generationId}`.execute(kysely);
  if (rows[0] === undefined) throw unknownRecord('generation', generationId);
  const refused = refusal(rows[0], epoch);
  if (refused !== undefined && refused.action !== 'skip') return refused;
  // A limit on trials that was lowered meanwhile left none to grade it with.
  if (!rows[0].is_wanted) return { action: 'stop', reason: 'budget.exhausted' };
  // An operator's edit takes the claim away: the generation is claimed anew, and begins with what was put in.
  return { action: rows[0].is_claimed ? 'run' : 'pause' };
}

async function close(
  transaction: Transaction<Tables>,
  input: Parameters<Records['closeGeneration']>[0],
): Promise<void> {
  await lockCampaignOf(transaction, 'generations', input.generationId);
  const generation = await lockedGeneration(transaction, input.generationId);
  if (generation.epoch !== input.epoch) throw superseded(`generation ${input.generationId}`);
  if (generation.state === 'done') return; // the first end stays
  await sql`
    update generations set state = 'done', failure = ${jsonText(input.failure)}::jsonb, ended_at = now()
    where id = ${input.generationId}`.execute(transaction);
  if (input.failure?.type === 'budget.exhausted') await markBudgetExhausted(transaction, generation.campaign_id);
  if (input.candidate === null) return;
  const { sha256, sizeBytes, files, provenance } = input.candidate;
  await sql`
    insert into candidates (generation_id, sha256, size_bytes, files, provenance)
    values (${input.generationId}, ${sha256}, ${sizeBytes}, ${files}, ${provenance})
    on conflict (generation_id) do update set sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
      files = excluded.files, provenance = excluded.provenance, created_at = now()`.execute(transaction);
}

interface GenerationState extends AdmissionRow {
  id: string;
  campaign_id: string;
  system_id: string;
  scope: string;
  repeat: number;
  settings: JsonObject;
  suite: string;
  n: number;
  state: 'planned' | 'running' | 'done';
  claimed_epoch: number | null;
  workflow_run_id: string | null;
  failure: Failure | null;
}

async function lockedGeneration(transaction: Transaction<Tables>, id: string): Promise<GenerationState> {
  // Locked first, read after: a statement that waits for a lock goes on with the campaign's row as it was before.
  await sql`select from generations where id = ${id} for update`.execute(transaction);
  const { rows } = await sql<GenerationState>`
    select g.id, g.campaign_id, g.system_id, g.scope, g.repeat, g.settings, g.n, g.state, g.claimed_epoch,
      g.workflow_run_id, g.failure, c.suite, ${ADMISSION}
    from generations g join campaigns c on c.id = g.campaign_id
    where g.id = ${id}`.execute(transaction);
  if (rows[0] === undefined) throw unknownRecord('generation', id);
  return rows[0];
}

function run(generation: GenerationState, n: number): Claim {
  const spec = {
    generationId: generation.id,
    systemId: generation.system_id,
    scope: generation.scope,
    repeat: generation.repeat,
    settings: generation.settings,
  } satisfies GenerationSpec;
  return { action: 'run', n, suite: generation.suite, spec };
}

/** null: it has its candidate. */
function outcomeOf(failure: Failure | null): Outcome | null {
  if (failure === null) return null;
  return failure.blame === 'budget' || failure.blame === 'operator' ? 'not_run' : 'errored';
}
