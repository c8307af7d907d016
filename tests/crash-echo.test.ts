import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitCampaign, startCampaign } from '../src/adapters/temporal/campaign-workflow.js';
import type { ModelSpec } from '../src/contract/campaign.js';
import type { CampaignPlan } from '../src/contract/plan.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../src/fakes/scripted-model-server.js';
import type { CampaignRow, TrialRow } from '../src/ports/records.js';
import { waitUntil } from '../src/stack/wait-until.js';
import { echoPlan } from './fixtures/echo-campaign.js';
import { startEngine, type Engine, type TestWorker } from './fixtures/engine.js';
import { freshDatabase, type FreshDatabase } from './fixtures/postgres.js';
import { buildTestBundle } from './fixtures/workflow-bundle.js';

/** 20 tasks × (noise, model) = 40 trials; half a second of `execute` each, so that a kill hits running stages. */
const TASKS = 20;
const TRIALS = 2 * TASKS;

let database: FreshDatabase;
let engine: Engine;
let model: ScriptedModelServer;
let bundle: string;
let worker: TestWorker;
let undisturbed: Ended;

beforeAll(async () => {
  database = await freshDatabase();
  const rule = { name: 'slow', template: 'Answer: {{1}}', match: { regex: '.*:\\n(.*)' }, delayMs: 400 };
  [engine, model] = await Promise.all([
    startEngine(database.databaseUrl),
    startScriptedModelServer({ rules: { rules: [rule] } }),
  ]);
  bundle = await buildTestBundle(engine.folder);
  worker = await startWorker();
  undisturbed = await ended(await begin('undisturbed'));
});

afterAll(async () => {
  await engine?.close();
  await model?.close();
  await database?.drop();
});

const startWorker = (): Promise<TestWorker> =>
  engine.startWorker({ bundle, arguments: ['--slots', 'sandbox=4,model=4'] });

async function begin(name: string): Promise<CampaignPlan> {
  const spec: ModelSpec = {
    ...{ name: 'scripted', baseUrl: model.url, apiKeyEnv: null, maxOutputTokens: 100, temperature: null },
    ...{ timeoutSeconds: 10, price: { input: 1, output: 4 } },
  };
  const dataset = { tasks: TASKS, sleepMs: 500 };
  const plan = await echoPlan({ name, generators: ['noise', 'model'], dataset, model: spec });
  await engine.records.createCampaign(plan);
  await startCampaign(engine.client, plan.id);
  return plan;
}

interface Ended {
  row: CampaignRow;
  trials: TrialRow[];
}

async function ended({ id }: CampaignPlan): Promise<Ended> {
  await awaitCampaign(engine.client, id);
  return { row: await engine.records.campaign(id), trials: await engine.records.trials(id) };
}

async function untilDone(plan: CampaignPlan, count: number): Promise<void> {
  const isThere = async (): Promise<boolean> => (await engine.records.campaign(plan.id)).trials.done >= count;
  expect(await waitUntil(isThere, { timeoutMs: 60_000 })).toBe(true);
}

const verdicts = ({ trials }: Ended): unknown[] =>
  trials
    .map(({ taskId, systemId, outcome, reason, metrics }) => ({ taskId, systemId, outcome, reason, metrics }))
    .sort((a, b) => `${a.systemId} ${a.taskId}`.localeCompare(`${b.systemId} ${b.taskId}`));

/** Every stage of every trial succeeded once: what was recorded before the crash was not done again after it. */
async function repeatedStages({ trials }: Ended): Promise<string[]> {
  const details = await Promise.all(trials.map(({ id }) => engine.records.trial(id)));
  return details.flatMap(({ trial, attempts }) => {
    const done = attempts.filter(({ failure }) => failure === null).map(({ stage, step }) => `${stage} ${step}`);
    return done.filter((key, index) => done.indexOf(key) !== index).map((key) => `${trial.id}: ${key}`);
  });
}

test('the undisturbed run is what the others are compared with', async () => {
  expect(undisturbed.row).toMatchObject({ status: 'completed', trials: { done: TRIALS, errored: 0, not_run: 0 } });
  expect(undisturbed.row.trials.passed).toBeGreaterThan(TASKS);
  expect(undisturbed.row.spend).toMatchObject({ calls: TASKS, repeatedCalls: 0 });
  expect(await repeatedStages(undisturbed)).toEqual([]);
});

test('a worker killed with SIGKILL in the middle: another one ends the campaign with the same verdicts', async () => {
  const before = model.requests.length;
  const plan = await begin('worker-killed');
  await untilDone(plan, 8);
  await worker.stop('SIGKILL');
  expect((await engine.records.campaign(plan.id)).trials.done).toBeLessThan(TRIALS);
  worker = await startWorker();
  const after = await ended(plan);
  expect(after.row.status).toBe('completed');
  expect(verdicts(after)).toEqual(verdicts(undisturbed));
  expect(await repeatedStages(after)).toEqual([]);
  // Only calls in flight at the kill may be sent twice, and the record says how many were.
  const sends = model.requests.slice(before).filter(({ purpose }) => purpose === 'generate');
  expect(sends.length - TASKS).toBe(after.row.spend.repeatedCalls);
  expect(after.row.spend.repeatedCalls).toBeLessThanOrEqual(4);
});

test('the Temporal server killed with SIGKILL in the middle: the campaign ends by itself once it is back', async () => {
  const before = model.requests.length;
  const plan = await begin('server-killed');
  await untilDone(plan, 8);
  await engine.killServer();
  await engine.restartServer();
  const after = await ended(plan);
  expect(after.row.status).toBe('completed');
  expect(verdicts(after)).toEqual(verdicts(undisturbed));
  expect(await repeatedStages(after)).toEqual([]);
  expect(model.requests.length - before).toBe(TASKS);
  expect(after.row.spend.repeatedCalls).toBe(0);
});

test('a worker stopped with SIGTERM finishes what it began, and says goodbye', async () => {
  const plan = await begin('worker-stopped');
  await untilDone(plan, 4);
  await worker.stop('SIGTERM');
  expect(worker.child.exitCode).toBe(0);
  const details = async (): Promise<string[]> => {
    const trials = await engine.records.trials(plan.id);
    const all = await Promise.all(trials.map(({ id }) => engine.records.trial(id)));
    return all.flatMap(({ attempts }) => attempts.flatMap(({ failure }) => failure?.type ?? []));
  };
  expect(await details()).toEqual([]);
  worker = await startWorker();
  const after = await ended(plan);
  expect(verdicts(after)).toEqual(verdicts(undisturbed));
  expect(await repeatedStages(after)).toEqual([]);
  expect(after.row.spend).toMatchObject({ calls: TASKS, repeatedCalls: 0 });
});
