import type { Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import { jsonHash } from '../../../domain/text/content-hash.js';
import { storable, storableJson } from '../../../domain/text/storable.js';
import type { Records } from '../../../ports/records.js';
import { unknownRecord } from '../campaigns/admission.js';
import type { Database } from '../schema/database.js';
import { recordEvent } from '../campaigns/events.js';
import { lockedCampaign, seenCampaign } from '../campaigns/operator.js';
import type { Tables } from '../schema/tables.js';
import { UserError } from '../../../domain/failure/user-error.js';

type Edit = Parameters<Records['recordEdit']>[0];

/** What an operator puts in the place of what a generation made. */
export function generationEdits({ kysely }: Database): Pick<Records, 'recordEdit'> {
  return {
    recordEdit: (edit) =>
      kysely.transaction().execute(async (transaction) => {
        const generation = await openGeneration(transaction, edit);
        if (edit.isDryRun) return;
        const { author, reason, step, generationId } = edit;
        const details = { ...edit.details, generation: generationId };
        await recordEvent(transaction, {
          ...{ campaignId: generation.campaign_id, action: 'graph', author, reason },
          details,
        });
        // Each edit is a step of its own, also one that goes back to what was there before.
        const edits = await sql<{ count: number }>`
          select count(*) as count from steps
          where owner_kind = 'generation' and owner_id = ${generationId} and stage = ${edit.stage} and step = ${step}`.execute(
          transaction,
        );
        await sql`
          update generations set claimed_epoch = null, workflow_run_id = null where id = ${generationId}`.execute(
          transaction,
        );
        await insertStep(transaction, edit, { n: generation.n, number: (edits.rows[0]?.count ?? 0) + 1 });
      }),
  };
}

/** The generation, locked behind its campaign: nobody opens or closes them meanwhile. A dry run only looks. */
async function openGeneration(
  transaction: Transaction<Tables>,
  { generationId: id, isDryRun }: Edit,
): Promise<{ campaign_id: string; n: number }> {
  const named = await sql<{ campaign_id: string }>`
    select campaign_id from generations where id = ${id}`.execute(transaction);
  const campaignId = named.rows[0]?.campaign_id;
  if (campaignId === undefined) throw unknownRecord('generation', id);
  const campaign = await (isDryRun ? seenCampaign : lockedCampaign)(transaction, campaignId);
  const { rows } = await sql<{ campaign_id: string; n: number; made: boolean }>`
    select g.campaign_id, g.n, exists (select from candidates c where c.generation_id = g.id) as made
    from generations g where g.id = ${id} ${isDryRun ? sql`` : sql`for update`}`.execute(transaction);
  const [generation] = rows;
  if (generation === undefined) throw unknownRecord('generation', id);
  if (generation.made) throw isMade(id, campaignId);
  if (campaign.ended_as === null && campaign.desired_state === 'run') throw isRunning(campaignId);
  return generation;
}

async function insertStep(
  transaction: Transaction<Tables>,
  edit: Edit,
  { n, number }: { n: number; number: number },
): Promise<void> {
  const { generationId, stage, step, evidence } = edit;
  const result = storable(edit.result);
  const inputHash = jsonHash({ result, number });
  await sql`
    insert into steps (owner_kind, owner_id, stage, step, input_hash, n, attempt, result, started_at, ended_at)
    values ('generation', ${generationId}, ${stage}, ${step}, ${inputHash}, ${n}, 1,
      ${storableJson(result)}::jsonb, clock_timestamp(), clock_timestamp())`.execute(transaction);
  await sql`
    insert into evidence (owner_kind, owner_id, n, stage, step, input_hash, edition, attempt,
      name, sha256, size_bytes, media_type, truncated)
    select 'generation', ${generationId}, ${n}::integer, ${stage}, ${step}, ${inputHash}, 1, 1,
      e.name, e.sha256, e."sizeBytes", e."mediaType", e.truncated
    from jsonb_to_recordset(${storableJson(evidence)}::jsonb)
      as e(name text, sha256 text, "sizeBytes" bigint, "mediaType" text, truncated boolean)`.execute(transaction);
}

function isMade(id: string, campaignId: string): UserError {
  return new UserError('usage', {
    message: `generation ${id} has its candidate: what it was made from stays as it is`,
    fix: `see it: durabench show ${campaignId}`,
  });
}

function isRunning(campaignId: string): UserError {
  return new UserError('usage', {
    message: `campaign ${campaignId} runs: its generation would go on with the graph it has`,
    expected: 'a campaign that is paused, or was ended by its budget or a cancel',
    fix: `durabench pause ${campaignId}`,
  });
}
