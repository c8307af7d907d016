import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import type { CampaignPlan } from '../../src/contract/plan.js';
import type { NotifySpec } from '../../src/contract/campaign.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import { expectDocument } from '../fixtures/cli/documents.js';
import { echoPlan, type EchoCampaign } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { scriptedSpec } from '../fixtures/engine/throttled-run.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';
import { freePort } from '../fixtures/free-port.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { waitUntil } from '../fixtures/wait-until.js';

// Whom a campaign tells what: by a real worker to a real HTTP server, whatever the server does.

type Told = DocumentBody<'notification'>;

let database: FreshDatabase;
let engine: Engine;
let model: ScriptedModelServer;
let server: Server;
let url: string;
const told: { path: string; authorization: string | undefined; body: Told }[] = [];
/** Of requests to /slow. */
const held: ServerResponse[] = [];
/** Of calls of the model `held`. */
const calls: (() => void)[] = [];
let failures = 2;

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (bytes: Buffer) => (text += bytes.toString()));
    request.on('end', () => {
      const path = request.url ?? '';
      if (path === '/gone') return void response.writeHead(410).end();
      if (path === '/slow') return void held.push(response);
      if (path === '/shaky' && failures-- > 0) return void response.writeHead(503).end();
      told.push({ path, authorization: request.headers.authorization, body: JSON.parse(text) as Told });
      response.writeHead(200).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `http://127.0.0.1:${address.port}`;
  model = await startScriptedModelServer({
    rules: { rules: [{ answer: 'Answer: no', usage: { input: 1000, output: 10 } }] },
    onRequest: ({ model: name }) =>
      name === 'held' ? new Promise<void>((answer) => calls.push(answer)) : Promise.resolve(),
  });
  database = await freshDatabase();
  engine = await startEngine(database.databaseUrl);
  await engine.startWorker({
    bundle: BUILT_BUNDLE,
    variables: { HOOK: `${url}/hook`, HOOK_TOKEN: 'Bearer of-a-secret', DOCKER_HOST: 'tcp://127.0.0.1:9' },
  });
});

afterAll(async () => {
  for (const answer of calls) answer();
  server?.closeAllConnections();
  server?.close();
  await engine?.close();
  await model?.close();
  await database?.drop();
});

async function begin(notify: Partial<NotifySpec>[], shape: EchoCampaign): Promise<CampaignPlan> {
  const plan = await echoPlan(shape);
  plan.spec.notify = notify.map((each) => ({ on: ['end', 'soft_budget', 'stall'], stallMinutes: 30, ...each }));
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  return plan;
}

const toldOf = (id: string, event: string) =>
  told.filter(({ body }) => body.campaign.id === id && body.event === event);
const eventsOf = async (id: string, action: string) =>
  (await engine.records.events(id)).filter((each) => each.action === action);
const FEW = { generators: ['echo'], dataset: { tasks: 2 } };

test('the end is told once, as the document says, with what the variables of the worker hold', async () => {
  const { id } = await begin([{ webhookEnv: 'HOOK', authorizationEnv: 'HOOK_TOKEN' }], { name: 'told', ...FEW });
  await awaitCampaign(engine, id);
  expect(await waitUntil(() => toldOf(id, 'end').length > 0)).toBe(true);
  const [first] = toldOf(id, 'end');
  expect(first).toMatchObject({ path: '/hook', authorization: 'Bearer of-a-secret' });
  expectDocument(first?.body, 'notification');
  expect(first?.body).toMatchObject({
    campaign: { id, status: 'completed', suite: 'echo' },
    ...{ trials: { planned: 2, done: 2, passed: 2 }, still_since: null },
  });
  const noted = await waitUntil(async () => (await eventsOf(id, 'notified'))[0]);
  expect(noted?.reason).toBe('webhook of HOOK, end');
  expect(JSON.stringify(await engine.records.events(id))).not.toMatch(/of-a-secret|127\.0\.0\.1/);
  expect((await engine.records.notifyingCampaigns('none')).filter((each) => each.id === id)).toEqual([]);
});

test('endpoints that are down, slow, refuse or fail at first neither delay nor fail a campaign, and are told of', async () => {
  const down = `http://127.0.0.1:${await freePort()}`;
  const { id } = await begin(
    [{ webhook: down }, { webhook: `${url}/slow` }, { webhook: `${url}/shaky` }, { command: ['false'] }],
    { name: 'deaf', ...FEW },
  );
  await awaitCampaign(engine, id);
  expect((await engine.records.campaign(id)).status).toBe('completed');
  expect(await waitUntil(() => held.length > 0)).toBe(true);
  expect(await waitUntil(() => toldOf(id, 'end').length > 0)).toBe(true);
  expect(toldOf(id, 'end').map(({ path }) => path)).toEqual(['/shaky']);
  const waiting = await waitUntil(async () => {
    const found = await eventsOf(id, 'notify-waiting');
    return found.length >= 3 && found;
  });
  const reasons = (waiting || []).map(({ reason }) => reason);
  expect(reasons).toContain(`webhook ${new URL(down).host}, end: it cannot be reached (ECONNREFUSED)`);
  expect(reasons).toContain(`webhook ${new URL(url).host}, end: it answered 503`);
  expect(reasons).toContain('command false, end: it ended with 1');
  // Sent, and then recorded.
  const noted = await waitUntil(async () => (await eventsOf(id, 'notified'))[0]);
  expect(noted?.details).toMatchObject({ event: 'end', target: 2 });
});

test('what refuses for good is given up at once', async () => {
  const { id } = await begin([{ webhook: `${url}/gone` }], { name: 'gone', ...FEW });
  await awaitCampaign(engine, id);
  const failed = await waitUntil(async () => (await eventsOf(id, 'notify-failed'))[0]);
  expect(failed?.reason).toBe(`webhook ${new URL(url).host}, end: it answered 410`);
});

test('reaching the soft budget, and standing still, are told while the campaign runs', async () => {
  const paid = { ...scriptedSpec(model.url), price: { input: 1, output: 1 } };
  const soft = await begin([{ webhookEnv: 'HOOK', on: ['soft_budget'] }], {
    ...{ name: 'soft', generators: ['model'], dataset: { tasks: 20 }, model: paid },
    ...{ budget: { usd: 1, tokens: null, soft: 0.002 }, concurrency: { trials: 2 } },
  });
  const still = await begin([{ webhookEnv: 'HOOK', on: ['stall'], stallMinutes: 0.01 }], {
    ...{ name: 'still', generators: ['model'], dataset: { tasks: 1 } },
    model: { ...scriptedSpec(model.url), name: 'held', timeoutSeconds: 3_600 },
  });
  expect(await waitUntil(() => toldOf(soft.id, 'soft_budget').length > 0)).toBe(true);
  expect(toldOf(soft.id, 'soft_budget')[0]?.body.budget).toMatchObject({ usd: 1, soft: 0.002 });
  expect(await waitUntil(() => toldOf(still.id, 'stall').length > 0)).toBe(true);
  const { still_since: since, campaign } = toldOf(still.id, 'stall')[0]!.body;
  expect(campaign.status).toBe('running');
  expect(Date.parse(since ?? '')).toBeLessThan(Date.now());
  for (const answer of calls.splice(0)) answer();
  await awaitCampaign(engine, still.id);
  await awaitCampaign(engine, soft.id);
  expect(toldOf(soft.id, 'end')).toEqual([]);
});
