import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { startScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { echoPlan } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { scriptedSpec } from '../fixtures/engine/throttled-run.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';

let database: FreshDatabase;
let engine: Engine;

beforeAll(async () => {
  database = await freshDatabase();
  engine = await startEngine(database.databaseUrl);
  await engine.startWorker({ bundle: BUILT_BUNDLE });
});

afterAll(async () => {
  await engine?.close();
  await database?.drop();
});

/** A provider that answers nobody until so many ask at once, or the test says so. */
async function holdingServer() {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let inFlight = 0;
  const server = await startScriptedModelServer({
    rules: { rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' }] },
    onRequest: async () => {
      inFlight += 1;
      await gate;
      inFlight -= 1;
    },
  });
  return { server, inFlight: () => inFlight, open: () => open() };
}

async function begin(name: string, url: string, model: number): Promise<string> {
  const spec = { ...scriptedSpec(url), timeoutSeconds: 3600 };
  const concurrency = { batches: 1, trials: model + 4, model };
  const dataset = { tasks: model + 4 };
  const plan = await echoPlan({ name, generators: ['model'], dataset, model: spec, concurrency });
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  return plan.id;
}

test('a file that asks for 60 model calls has 60 in flight, no 61st, and a second campaign its own beside it', async () => {
  const provider = await holdingServer();
  const ids = [await begin('sixty', provider.server.url, 60)];
  expect(await waitUntil(() => provider.inFlight() === 60)).toBe(true);
  ids.push(await begin('five', provider.server.url, 5));
  expect(await waitUntil(() => provider.inFlight() === 65)).toBe(true);
  provider.open();
  for (const id of ids) await awaitCampaign(engine, id);
  const rows = await Promise.all(ids.map((id) => engine.records.campaign(id)));
  expect(rows.map(({ trials }) => trials.passed)).toEqual([64, 9]);
  const [worker] = await engine.records.workerLimits(rows[0]?.server ?? '');
  expect(worker?.limits.slots.model).toMatchObject({ from: 'machine' });
  await provider.server.close();
});
