import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Activities } from '../../activities/index.js';
import { createRecordActivities } from '../../activities/records.js';
import type { ActivityDependencies } from '../../activities/dependencies.js';
import { awaitCampaign, cancelCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import type { CampaignPlan } from '../../src/contract/plan.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import type { Records } from '../../src/ports/records.js';
import { echoPlan } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';

let database: FreshDatabase;
let engine: Engine;
let connection: NativeConnection;
let bundle: string;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  database = await freshDatabase();
  engine = await startEngine(database.databaseUrl);
  bundle = BUILT_BUNDLE;
  connection = await NativeConnection.connect({ address: engine.address });
});

afterAll(async () => {
  await connection?.close();
  await engine?.close();
  await database?.drop();
});

async function begin(name: string): Promise<CampaignPlan> {
  const plan = await echoPlan({ name, generators: ['echo'], dataset: { tasks: 3 } });
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  return plan;
}

/** Runs workflows in this process until the campaign has ended; `records` replaces what the real ones do. */
async function untilEnded(
  { id }: CampaignPlan,
  records: Partial<Records> = {},
  writeReport: Activities['writeReport'] = async () => undefined,
): Promise<void> {
  const dependencies: Partial<ActivityDependencies> = {
    records: { ...engine.records, ...records },
    server: async () => 'here',
    code: '',
  };
  const activities: Partial<Activities> = createRecordActivities(dependencies as ActivityDependencies);
  const worker = await Worker.create({
    ...{ connection, namespace: engine.namespace, activities, taskQueue: engine.names.workflowQueue('') },
    workflowBundle: { codePath: bundle },
  });
  const light = await Worker.create({
    ...{ connection, namespace: engine.namespace, activities: { writeReport }, taskQueue: engine.names.queue('light') },
  });
  await worker.runUntil(light.runUntil(awaitCampaign(engine, id)));
}

test('a campaign cancelled before its first step is opened only to be closed', async () => {
  const plan = await begin('early');
  await cancelCampaign(engine, plan.id);
  await untilEnded(plan);
  expect(await engine.records.campaign(plan.id)).toMatchObject({
    status: 'cancelled',
    trials: { planned: 3, done: 3, not_run: 3 },
  });
});

test('a campaign that was handed to another server before it was opened here ends quietly, and writes nothing', async () => {
  const plan = await begin('late');
  await engine.records.placeCampaign({ campaignId: plan.id, server: 'elsewhere' });
  const before = await engine.records.campaign(plan.id);
  await untilEnded(plan);
  expect(await engine.client.workflow.getHandle(engine.names.campaign(plan.id)).result()).toEqual({ status: null });
  expect(await engine.records.campaign(plan.id)).toEqual(before);
});

test('a campaign whose batches cannot be listed says why on every trial, and does not call them not run', async () => {
  const plan = await begin('unlisted');
  const batchPage = async (): Promise<never> => {
    throw new DomainFailure('harness.bug', 'the list of batches is broken');
  };
  await untilEnded(plan, { batchPage });
  expect(await engine.records.campaign(plan.id)).toMatchObject({ trials: { done: 3, errored: 3, not_run: 0 } });
  const [trial] = await engine.records.trials(plan.id);
  expect(trial).toMatchObject({ blame: 'harness', reason: 'harness.bug', message: 'the list of batches is broken' });
});

test('a campaign has its report written once it is closed; a report that cannot be written fails nothing', async () => {
  const plan = await begin('unwritten');
  await cancelCampaign(engine, plan.id);
  const seen: unknown[] = [];
  await untilEnded(plan, {}, async (id) => {
    const { status, endedAt } = await engine.records.campaign(id);
    seen.push([id, status, endedAt !== null]);
    throw ApplicationFailure.nonRetryable('no space left on the device');
  });
  expect(seen).toEqual([[plan.id, 'cancelled', true]]);
  const { status } = await engine.client.workflow.getHandle(engine.names.campaign(plan.id)).describe();
  expect(status.name).toBe('CANCELLED');
  expect(await engine.records.campaign(plan.id)).toMatchObject({ status: 'cancelled', trials: { done: 3 } });
});
