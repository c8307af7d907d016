import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { awaitCampaign, cancelCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import type { CampaignPlan } from '../../src/contract/plan.js';
import type { FailureType } from '../../src/contract/failure.js';
import { waitLines } from '../../src/report/text/wait-lines.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { Wait } from '../../src/ports/records.js';
import { echoPlan, type EchoCampaign } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine, type TestWorker } from '../fixtures/engine/engine.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { scriptedSpec } from '../fixtures/engine/throttled-run.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';

/** Workers of one installation of which one lacks what a campaign needs: its key, or its blobs. */
const KEY = 'LACKING_TEST_KEY';

let database: FreshDatabase;
let engine: Engine;
let model: ScriptedModelServer;
let bundle: string;
let blobs: string[];
let workers: TestWorker[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  [engine, model] = await Promise.all([
    startEngine(database.databaseUrl),
    startScriptedModelServer({
      key: 'the-key',
      rules: { rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' }] },
    }),
  ]);
  bundle = BUILT_BUNDLE;
  blobs = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'durabench-blobs-'))));
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
  workers = [];
});

afterAll(async () => {
  await engine?.close();
  await model?.close();
  await database?.drop();
  await Promise.all((blobs ?? []).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function worker(variables: Record<string, string>, ...roles: string[]): Promise<TestWorker> {
  const started = await engine.startWorker({
    ...{ bundle, variables: { DURABENCH_BLOBS: blobs[0]!, ...variables } },
    arguments: roles.length === 0 ? [] : ['--roles', roles.join(',')],
  });
  workers.push(started);
  return started;
}

async function begin(shape: EchoCampaign): Promise<CampaignPlan> {
  const plan = await echoPlan(shape);
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  return plan;
}

const withKey = (name: string): EchoCampaign => ({
  ...{ name, generators: ['model'], dataset: { tasks: 8 } },
  model: { ...scriptedSpec(model.url), apiKeyEnv: KEY },
});

/** What a campaign is said to wait for, once it is. */
async function waitOf({ id }: CampaignPlan, type: FailureType): Promise<Wait> {
  const find = async (): Promise<Wait | undefined> =>
    (await engine.records.waits(id)).find((wait) => wait.type === type);
  const found = await waitUntil(find);
  if (found === undefined)
    throw new Error(`${id} waits for nothing: ${JSON.stringify(await engine.records.campaign(id))}`);
  return found;
}

async function expectAllPassed({ id }: CampaignPlan): Promise<void> {
  await awaitCampaign(engine, id);
  expect(await engine.records.campaign(id)).toMatchObject({ status: 'completed', trials: { planned: 8, passed: 8 } });
}

test('a worker without the key says so and fails nothing; whoever comes with it does the work', async () => {
  const lacking = await worker({});
  const plan = await begin(withKey('alone'));
  const [line, ...more] = waitLines([await waitOf(plan, 'model.key-missing')]);
  expect(line).toMatch(/^waiting for a worker with the key of the model since .*: worker \S+: the key of /);
  expect(more.join('\n')).toContain(`set ${KEY}`);
  const isLogged = async (): Promise<boolean> =>
    (await readFile(lacking.logFile, 'utf8')).includes('this worker lacks what a step needs');
  expect(await waitUntil(isLogged)).toBe(true);
  expect(await engine.records.campaign(plan.id)).toMatchObject({ status: 'running', trials: { done: 0 } });
  await worker({ [KEY]: 'the-key' });
  await expectAllPassed(plan);
});

test('beside a worker that has the key none of its work is lost', async () => {
  await Promise.all([worker({}), worker({ [KEY]: 'the-key' })]);
  await expectAllPassed(await begin(withKey('beside')));
});

test('a worker with another blob store gives back what it cannot read; who made the candidate grades it', async () => {
  await Promise.all([worker({}), worker({ DURABENCH_BLOBS: blobs[1]! })]);
  await expectAllPassed(
    await begin({
      name: 'blobs',
      generators: ['echo'],
      dataset: { tasks: 8, share: true },
      concurrency: { trials: 4 },
    }),
  );
});

test('a campaign that waits for a worker that never comes can be cancelled', async () => {
  await worker({});
  const plan = await begin(withKey('never'));
  await waitOf(plan, 'model.key-missing');
  const change = { campaignId: plan.id, state: 'cancel', author: 'test', reason: 'test' } as const;
  await engine.records.setDesiredState(change);
  await cancelCampaign(engine, plan.id);
  await awaitCampaign(engine, plan.id);
  expect((await engine.records.campaign(plan.id)).status).toBe('cancelled');
  const reasons = (await engine.records.trials(plan.id)).map(({ outcome, reason }) => `${outcome} ${reason}`);
  expect(new Set(reasons)).toEqual(new Set(['not_run operator.cancelled']));
});
