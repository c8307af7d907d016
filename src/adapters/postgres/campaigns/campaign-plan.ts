import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { CampaignLock, CampaignSpec } from '../../../contract/campaign.js';
import type { JsonObject } from '../../../contract/json.js';
import type { Revision } from '../../../contract/revision.js';
import { jsonHash } from '../../../domain/text/content-hash.js';
import { isOfQuestion, isSameQuestion, lockChanges } from '../../../domain/campaign/lock-changes.js';
import type { CampaignPlan, Records } from '../../../ports/records.js';
import { writeBudget } from './campaign-budget.js';
import type { Database } from '../schema/database.js';
import { recordEvent } from './events.js';
import { storable, storableJson, storableText } from '../../../domain/text/storable.js';
import type { Tables } from '../schema/tables.js';
import { UserError } from '../../../domain/failure/user-error.js';

// Rows per statement: some 2 MB of JSON, so that a plan of 100,000 trials needs no buffer of its own size.
const CHUNK_ROWS = 5_000;
const SECRET_BYTES = 32;
/** More are no help in a sentence. */
const NAMED_PARTS = 5;

/** Inserting a whole plan. */
export function campaignPlan({ kysely }: Database): Pick<Records, 'createCampaign'> {
  return {
    createCampaign: (plan, { author = 'durabench', revision } = {}) =>
      kysely.transaction().execute(async (transaction) => {
        const isNew = await insertCampaign(transaction, plan, revision?.of ?? null);
        if (!isNew) return attach(transaction, plan, { author, revision });
        if (revision !== undefined) await recordRevision(transaction, plan.id, { author, revision });
        await insertSecret(transaction, plan.id);
        await insertTasks(transaction, plan);
        await insertGenerations(transaction, plan);
        await insertBatches(transaction, plan);
        await insertTrials(transaction, plan);
      }),
  };
}

async function insertCampaign(
  transaction: Transaction<Tables>,
  plan: CampaignPlan,
  revises: string | null,
): Promise<boolean> {
  const inserted = await transaction
    .insertInto('campaigns')
    .values({
      id: plan.id,
      name: plan.spec.name,
      suite: plan.spec.suite,
      spec: storableJson(plan.spec),
      lock: storableJson(plan.lock),
      lock_sha256: plan.lock.sha256,
      dataset_label: storableText(plan.dataset.label),
      dataset_digest: plan.dataset.digest,
      revises,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Once, with the campaign: whoever attaches, resumes or takes it over draws by the same. */
async function insertSecret(transaction: Transaction<Tables>, campaignId: string): Promise<void> {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  await transaction.insertInto('campaign_secrets').values({ campaign_id: campaignId, secret }).execute();
}

interface By {
  author: string;
  revision: Revision | undefined;
}

/** Said in both campaigns, so that each tells of the other. */
async function recordRevision(
  transaction: Transaction<Tables>,
  id: string,
  { author, revision: { of, reason, ...what } }: By & { revision: Revision },
): Promise<void> {
  const details = storable(what) as unknown as JsonObject;
  const event = { author, reason };
  await recordEvent(transaction, { ...event, campaignId: id, action: 'revises', details: { of, ...details } });
  await recordEvent(transaction, { ...event, campaignId: of, action: 'revised', details: { by: id, ...details } });
}

async function attach(transaction: Transaction<Tables>, plan: CampaignPlan, { author, revision }: By): Promise<void> {
  const existing = await transaction
    .selectFrom('campaigns')
    .select(['lock', 'spec', 'revises'])
    .where('id', '=', plan.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (!isSameQuestion(existing.lock, plan.lock)) throw anotherQuestion(plan, existing.lock);
  if (revision !== undefined && revision.of !== existing.revises) throw alreadyThere(plan.id, existing.revises);
  const { spec } = existing;
  const before = settingsOf(spec);
  const after = settingsOf(plan.spec);
  if (jsonHash(before) === jsonHash(after)) return;
  const event = { action: 'settings', author, reason: 'run --id', details: { before, after } };
  await recordEvent(transaction, { campaignId: plan.id, ...event });
  // The same question: nothing else can differ. What was charged stays charged, calls from now on cost what the lock says.
  const { spec: now, lock } = plan;
  await sql`
    update campaigns set spec = ${storableJson(now)}::jsonb, lock = ${storableJson(lock)}::jsonb, lock_sha256 = ${lock.sha256}
    where id = ${plan.id}`.execute(transaction);
  await writeBudget(transaction, plan.id, plan.spec.budget);
}

/** What may change without another question. */
function settingsOf({ tags, notify, concurrency, budget, models }: CampaignSpec): JsonObject {
  const prices = Object.entries(models).map(([key, { price }]) => [key, price === 'free' ? price : { ...price }]);
  const endpoints = Object.entries(models).map(([key, { baseUrl, apiKeyEnv, stored = false }]) => {
    return [key, { baseUrl, apiKeyEnv, stored }];
  });
  return {
    ...(tags && { tags }),
    ...(notify && { notify: notify.map((each) => ({ ...each })) }),
    concurrency: { ...concurrency },
    budget: { ...budget },
    endpoints: Object.fromEntries(endpoints) as JsonObject,
    prices: Object.fromEntries(prices) as JsonObject,
  };
}

function anotherQuestion({ id, lock }: CampaignPlan, existing: CampaignLock): UserError {
  const parts = lockChanges(existing, lock)
    .filter(isOfQuestion)
    .map(({ part }) => part);
  const named = parts.slice(0, NAMED_PARTS).join(', ') || 'the version that wrote it';
  const more = parts.length > NAMED_PARTS ? ` and ${parts.length - NAMED_PARTS} more` : '';
  return new UserError('usage', {
    message: `Campaign ${id} exists and asks another question. What differs: ${named}${more}.`,
    expected: 'attaching to a campaign with the same systems, models, prompts, dataset, limits and grader',
    fix: `Start a revision, a new campaign linked to it: durabench run FILE --revises ${id} (with --dry-run it says what that invalidates). Or run the file ${id} was started from.`,
  });
}

function alreadyThere(id: string, revises: string | null): UserError {
  return new UserError('usage', {
    message: `Campaign ${id} exists already${revises === null ? ', and revises none' : `, and revises ${revises}`}.`,
    expected: '--revises with a campaign that is new, or was started with the same --revises',
    fix: 'Leave --id out, or --revises.',
  });
}

async function insertTasks(transaction: Transaction<Tables>, plan: CampaignPlan): Promise<void> {
  for (const rows of chunks(plan.dataset.tasks)) {
    await sql`
      insert into campaign_tasks (campaign_id, task_id, sha256, task_group, category, scope)
      select ${plan.id}, id, sha256, "group", category, "candidateScope"
      from jsonb_to_recordset(${storableJson(rows)}::jsonb)
        as task(id text, sha256 text, "group" text, category text, "candidateScope" text)`.execute(transaction);
  }
}

async function insertGenerations(transaction: Transaction<Tables>, plan: CampaignPlan): Promise<void> {
  const generations = plan.batches.map((batch) => batch.generation).filter((generation) => generation !== null);
  // A candidate with more than 500 trials is graded by several batches.
  const distinct = [...new Map(generations.map((generation) => [generation.id, generation])).values()];
  for (const rows of chunks(distinct)) {
    await sql`
      insert into generations (id, campaign_id, system_id, scope, repeat, settings)
      select id, ${plan.id}, "systemId", scope, repeat, settings
      from jsonb_to_recordset(${storableJson(rows)}::jsonb)
        as generation(id text, "systemId" text, scope text, repeat integer, settings jsonb)`.execute(transaction);
  }
}

async function insertBatches(transaction: Transaction<Tables>, plan: CampaignPlan): Promise<void> {
  const batches = plan.batches.map(({ id, phase, generation }, ordinal) => {
    return { id, ordinal, phase, generation: generation?.id ?? null };
  });
  for (const rows of chunks(batches)) {
    await sql`
      insert into batches (id, campaign_id, ordinal, phase, generation_id)
      select id, ${plan.id}, ordinal, phase, generation
      from jsonb_to_recordset(${storableJson(rows)}::jsonb)
        as batch(id text, ordinal integer, phase text, generation text)`.execute(transaction);
  }
}

async function insertTrials(transaction: Transaction<Tables>, plan: CampaignPlan): Promise<void> {
  const trials = plan.batches.flatMap((batch) =>
    batch.trials.map((trial, ordinal) => ({ ...trial, batch: batch.id, ordinal })),
  );
  for (const rows of chunks(trials)) {
    await sql`
      with planned as (
        insert into trials (id, campaign_id, batch_id, ordinal, task_id, system_id, repeat, settings)
        select id, ${plan.id}, batch, ordinal, "taskId", "systemId", repeat, settings
        from jsonb_to_recordset(${storableJson(rows)}::jsonb) as trial(
          id text, batch text, ordinal integer, "taskId" text, "systemId" text, repeat integer, settings jsonb)
        returning id, n)
      insert into trial_runs (trial_id, n) select id, n from planned`.execute(transaction);
  }
}

function chunks<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / CHUNK_ROWS);
  return Array.from({ length: count }, (_, index) => rows.slice(index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS));
}
