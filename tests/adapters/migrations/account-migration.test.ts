import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/adapters/postgres/query-builder.js';
import { createLedger } from '../../../src/adapters/postgres/ledger/ledger.js';
import { createRecords } from '../../../src/adapters/postgres/records.js';
import { openDatabase, type Database } from '../../../src/adapters/postgres/schema/database.js';
import { migrate } from '../../../src/adapters/postgres/schema/migrate.js';
import { MIGRATIONS } from '../../../src/adapters/postgres/schema/migrations.js';
import type { CallOwner } from '../../../src/contract/stage.js';
import type { ModelSpec } from '../../../src/contract/campaign.js';
import type { CampaignPlan } from '../../../src/contract/plan.js';
import { recordId } from '../../../src/domain/campaign/ids.js';
import { askedHash, callKey } from '../../../src/ledger/call-key.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import type { Records } from '../../../src/ports/records.js';
import { campaignPlan } from '../../fixtures/engine/campaign-plan.js';
import { freshDatabase, type FreshDatabase } from '../../fixtures/postgres/postgres.js';
import { systemSpec } from '../../../src/fakes/suite-bench.js';

// A database of before there were accounts: what builds had paid stood in campaigns without trials.

const CHEAP = 'describe-3-writer-aaaaaaaaaa';
const DEAR = 'describe-3-writer-bbbbbbbbbb';
const OTHER = 'describe-3-poet-cccccccccc';
const ACCOUNT = 'repocraft@3-writer';

let fresh: FreshDatabase;
let database: Database;
let records: Records;
let ledger: Ledger;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase({ connectionString: fresh.databaseUrl });
  await migrate(
    database,
    MIGRATIONS.filter(({ version }) => version < 21),
  );
  // What is written below is written by the code of today, which knows this column by its later name.
  await sql`alter table batches rename column lane to phase`.execute(database.kysely);
  records = createRecords(database);
  ledger = createLedger(database);
  await records.createCampaign(campaignPlan({ id: 'real', batches: 1, trialsPerBatch: 2 }));
  for (const [id, version, price, usd] of [
    [CHEAP, '3-writer', 1, 2],
    [DEAR, '3-writer', 10, 5],
    [OTHER, '3-poet', 1, 1],
  ] as const)
    await records.createCampaign(oldBuild({ id, version, price, usd }));
  await sql`update campaigns set epoch = 3, created_at = now() - interval '2 hours', opened_at = now() - interval '1 hour' where id = ${CHEAP}`.execute(
    database.kysely,
  );
  await sql`update campaigns set epoch = 1, opened_at = now() where id in (${DEAR}, ${OTHER})`.execute(database.kysely);
  // The same question was asked at both prices; another one was lost and is not answered; one more is still open.
  await oldCall(CHEAP, 'task-1', [
    { state: 'ambiguous', microUsd: 100 },
    { state: 'settled', microUsd: 70 },
  ]);
  await oldCall(DEAR, 'task-1', [{ state: 'settled', microUsd: 700 }]);
  await oldCall(DEAR, 'task-2', [{ state: 'ambiguous', microUsd: 100 }]);
  await oldCall(CHEAP, 'task-3', [{ state: 'sent', microUsd: null }]);
  await oldCall(OTHER, 'task-1', [{ state: 'settled', microUsd: 9 }]);
  await realCall();
  await sql`insert into events (campaign_id, author, action, reason) values (${CHEAP}, 'me', 'budget', 'more')`.execute(
    database.kysely,
  );
  await sql`alter table batches rename column phase to lane`.execute(database.kysely);
  await migrate(database);
});

afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

test('campaigns without trials become the accounts of their dataset versions, with model, limit and events', async () => {
  expect((await records.listCampaigns(10)).map(({ id }) => id)).toEqual(['real']);
  const accounts = (await records.buildAccounts()).sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(accounts).toMatchObject([
    { id: 'repocraft@3-poet', suite: 'repocraft', version: '3-poet', model: { name: '3-poet' }, budget: { usd: 1 } },
    // Of the newest: the dear one.
    { id: ACCOUNT, version: '3-writer', model: { price: { input: 10 } }, budget: { usd: 5, tokens: null } },
  ]);
  expect(await records.buildEvents(ACCOUNT)).toMatchObject([{ author: 'me', action: 'budget', reason: 'more' }]);
  expect(await records.events(null)).toEqual([]);
  for (const table of ['generations', 'batches', 'campaign_secrets']) {
    const { rows } = await sql`select from ${sql.table(table)} where campaign_id <> 'real'`.execute(database.kysely);
    expect(rows, table).toEqual([]);
  }
});

test('what was paid is theirs to the cent, and every counter equals the sum over its sends', async () => {
  const { spend } = (await records.buildAccounts()).find(({ id }) => id === ACCOUNT)!;
  expect(spend).toMatchObject({ microUsd: 100 + 70 + 700 + 100, calls: 2, repeatedCalls: 1 });
  expect(await records.buildUsage(ACCOUNT)).toEqual([
    { project: 'textkit', purpose: 'describe', calls: 3, tokens: 97, costMicroUsd: 970 },
  ]);
  const { rows } = await sql<{ scope: string; counted: number; summed: number }>`
    select b.scope, b.reserved_micro_usd + b.settled_micro_usd as counted,
      coalesce(sum(coalesce(s.actual_micro_usd, s.estimate_micro_usd)), 0)::bigint as summed
    from budgets b left join calls c on b.scope = any(budgets_of(c)) left join sends s on s.key = c.key
    group by b.scope, counted order by b.scope`.execute(database.kysely);
  expect(rows).toEqual([
    { scope: 'build:repocraft@3-poet', counted: 9, summed: 9 },
    { scope: `build:${ACCOUNT}`, counted: 970 + 100, summed: 970 + 100 },
    { scope: 'campaign:real', counted: 33, summed: 33 },
  ]);
  expect((await records.campaign('real')).spend).toMatchObject({ microUsd: 33, calls: 1 });
});

test('what was answered is found by the build that asks again; what was lost, and what is open, counts on', async () => {
  const answer = { state: 'answered', responseRef: { sha256: `answer of ${DEAR} task-1` } };
  expect(await ledger.callState(newKey('task-1'), 'worker')).toMatchObject(answer);
  expect(await ledger.callState(newKey('task-2'), 'worker')).toMatchObject({ state: 'unanswered', ambiguous: 1 });
  const { epoch } = await records.openBuildAccount(ACCOUNT);
  expect(epoch).toBe(4);
  await records.closeBuildAccount({ accountId: ACCOUNT, epoch });
  expect(await ledger.callState(newKey('task-3'), 'worker')).toMatchObject({ state: 'unanswered', ambiguous: 1 });
});

test('the limit holds on, and can be raised', async () => {
  const { epoch } = await records.openBuildAccount(ACCOUNT);
  await records.beatWorker({ instance: 'worker', host: 'test', pid: 1 });
  const reserve = (estimate: number) =>
    ledger.reserve({
      ...{ key: newKey('task-4'), account: { kind: 'build', id: ACCOUNT }, epoch, worker: 'worker' },
      ...{ owner: buildOf(ACCOUNT), stage: 'describe', step: 'task-4', purpose: 'describe', model: 'describer' },
      ...{ requestRef: blob('question'), estimate: { microUsd: estimate, tokens: 1 } },
    });
  expect(await reserve(5_000_000)).toMatchObject({ status: 'exhausted', scope: 'build' });
  await records.setBuildBudget({ accountId: ACCOUNT, change: { usd: 6 }, author: 'me', reason: 'more' });
  expect(await reserve(5_000_000)).toEqual({ status: 'reserved', attempt: 1 });
});

/** As `dataset build --descriptions` planned it. */
function oldBuild(old: { id: string; version: string; price: number; usd: number }): CampaignPlan {
  const { id, version, price, usd } = old;
  const plan = campaignPlan({ id, batches: 0, trialsPerBatch: 0 });
  const generation = { id: oldOwner(id).id, systemId: 'descriptions', scope: 'textkit', repeat: 1, settings: {} };
  return {
    ...plan,
    spec: {
      ...{ ...plan.spec, suite: 'repocraft', models: { author: { ...modelSpec(price), name: version } } },
      ...{ systems: [systemSpec({ id: 'descriptions', generator: 'null', model: 'author' })] },
      budget: { usd, tokens: null },
    },
    dataset: { suite: 'repocraft', version, label: `repocraft@${version} descriptions`, digest: 'd', tasks: [] },
    batches: [{ id: recordId.batch(id, 1), phase: 'generate', generation, trials: [] }],
  };
}

const modelSpec = (input: number): ModelSpec => ({
  ...{ name: 'writer', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: null, price: { input, output: 2 } },
  ...{ maxOutputTokens: 10, temperature: null, timeoutSeconds: 10 },
});

const oldOwner = (campaign: string): CallOwner => ({
  kind: 'generation',
  id: recordId.generation(campaign, 'descriptions', 'textkit', 1),
});

const buildOf = (account: string): CallOwner => ({ kind: 'build', id: recordId.build(account, 'textkit') });

/** The same question from whoever asks. */
function keyOf(owner: CallOwner, step: string): string {
  const messages = [{ role: 'user' as const, content: `describe ${step}` }];
  const question = { purpose: 'describe', ordinal: 1, prompt: 'describe.v1', messages };
  const request = { messages, maxOutputTokens: 10, temperature: null, json: true };
  return callKey({ owner, stage: 'describe', step, fresh: 0 }, question, askedHash(question, modelSpec(1), request));
}

const newKey = (step: string): string => keyOf(buildOf(ACCOUNT), step);

const blob = (sha256: string) => ({
  ...{ sha256, sizeBytes: 1, mediaType: 'application/json', name: 'blob.json', truncated: false },
});

type OldSend = { state: 'settled' | 'ambiguous'; microUsd: number } | { state: 'sent'; microUsd: null };

/** A call as version 20 left it, with its money in the budget of its campaign. Estimates are 100 micro-dollars and 10 tokens. */
async function oldCall(campaign: string, step: string, sends: OldSend[]): Promise<void> {
  const owner = oldOwner(campaign);
  const isAnswered = sends.some(({ state }) => state === 'settled');
  await writeCall({ key: keyOf(owner, step), campaign, owner, step, isAnswered });
  for (const [index, { state, microUsd }] of sends.entries()) {
    const tokens = microUsd === null ? null : Math.floor(microUsd / 10);
    await sql`
      insert into sends (key, attempt, state, estimate_micro_usd, estimate_tokens, actual_micro_usd, actual_tokens, worker)
      values (${keyOf(owner, step)}, ${index + 1}, ${state}, 100, 10, ${microUsd}, ${tokens}, 'gone')`.execute(
      database.kysely,
    );
    await count(campaign, microUsd);
  }
}

async function realCall(): Promise<void> {
  const owner: CallOwner = { kind: 'trial', id: 'real/task-0-0/sys/1' };
  await writeCall({ key: 'real-call', campaign: 'real', owner, step: 'm', isAnswered: true });
  await sql`
    insert into sends (key, attempt, state, estimate_micro_usd, estimate_tokens, actual_micro_usd, actual_tokens, worker)
    values ('real-call', 1, 'settled', 100, 10, 33, 3, 'gone')`.execute(database.kysely);
  await count('real', 33);
}

async function writeCall(call: {
  key: string;
  campaign: string;
  owner: CallOwner;
  step: string;
  isAnswered: boolean;
}): Promise<void> {
  const { key, campaign, owner, step, isAnswered } = call;
  const answer = isAnswered ? JSON.stringify(blob(`answer of ${campaign} ${step}`)) : null;
  await sql`
    insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, response_ref, state, scopes)
    values (${key}, ${campaign}, ${owner.kind}, ${owner.id}, 'describe', ${step}, 'describe', 'author',
      ${JSON.stringify(blob('question'))}::jsonb, ${answer}::jsonb, ${isAnswered ? 'answered' : 'open'},
      ${campaign === CHEAP ? null : [`campaign:${campaign}`]})`.execute(database.kysely);
}

async function count(campaign: string, microUsd: number | null): Promise<void> {
  await sql`
    insert into budgets (scope, reserved_micro_usd, reserved_tokens, settled_micro_usd, settled_tokens)
    values (${`campaign:${campaign}`}, ${microUsd === null ? 100 : 0}, ${microUsd === null ? 10 : 0}, ${microUsd ?? 0},
      ${microUsd === null ? 0 : Math.floor(microUsd / 10)})
    on conflict (scope) do update set
      reserved_micro_usd = budgets.reserved_micro_usd + excluded.reserved_micro_usd,
      reserved_tokens = budgets.reserved_tokens + excluded.reserved_tokens,
      settled_micro_usd = budgets.settled_micro_usd + excluded.settled_micro_usd,
      settled_tokens = budgets.settled_tokens + excluded.settled_tokens`.execute(database.kysely);
}
