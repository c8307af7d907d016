import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { openDatabase } from '../../src/adapters/postgres/schema/database.js';
import {
  awaitCampaign,
  cancelCampaign,
  describeCampaign,
  startCampaign,
  wakeCampaign,
} from '../../src/adapters/temporal/campaign-workflow.js';
import type { ModelSpec } from '../../src/contract/campaign.js';
import type { CampaignPlan } from '../../src/contract/plan.js';
import { recordId } from '../../src/domain/campaign/ids.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { CampaignRow, TrialRow } from '../../src/ports/records.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { scaled } from '../vitest/yardstick.js';
import { echoTasks } from '../../tasks/echo/dataset/echo-task.js';
import { echoPlan, type EchoCampaign } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine, type TestWorker } from '../fixtures/engine/engine.js';
import { campaignHistories } from '../fixtures/engine/histories.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';

const KIBIBYTE = 1024;
let database: FreshDatabase;
let engine: Engine;
let model: ScriptedModelServer;
let bundle: string;
let worker: TestWorker;
/** How many more questions the model `gated` answers before the next one waits; what waits is answered when more are let through. */
const answers = { left: 0, waiting: [] as (() => void)[] };

beforeAll(async () => {
  database = await freshDatabase();
  [engine, model] = await Promise.all([
    startEngine(database.databaseUrl),
    startScriptedModelServer({
      rules: {
        rules: [
          { name: 'refuses', match: { model: 'refusing' }, status: 401 },
          { name: 'garbles', match: { model: 'garbling' }, answer: 'x', malformed: 'no-choices' },
          // Some nine seconds an answer: all six have begun before the first has ended.
          { name: 'keeps', match: { model: 'keeping' }, answer: 'So long. '.repeat(120), chunkDelayMs: 750 },
          { name: 'passes', match: { model: 'gated', regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' },
          { name: 'echoes', answer: 'SCRIPTED-COMPLETION I would rather not.' },
        ],
      },
      onRequest: async (request) => {
        if (request.model !== 'gated') return;
        if (answers.left <= 0) await new Promise<void>((resolve) => answers.waiting.push(resolve));
        answers.left -= 1;
      },
    }),
  ]);
  bundle = BUILT_BUNDLE;
  worker = await startWorker();
});

// Nobody listens there: echo must run on a machine without Docker.
const startWorker = (): Promise<TestWorker> =>
  engine.startWorker({ bundle, variables: { DOCKER_HOST: 'tcp://127.0.0.1:9' } });

afterAll(async () => {
  await engine?.close();
  await model?.close();
  await database?.drop();
});

const modelSpec = (name: string): ModelSpec => ({
  ...{ name, baseUrl: model.url, apiKeyEnv: null, maxOutputTokens: 100, temperature: null, timeoutSeconds: 300 },
  price: { input: 1, output: 4 },
});

/** As many of the questions to `gated` that wait, or come, are answered; those after them wait. */
function letThrough(count: number): void {
  answers.left = count;
  for (const answer of answers.waiting.splice(0, count)) answer();
}

async function begin(shape: EchoCampaign): Promise<CampaignPlan> {
  const plan = await echoPlan(shape);
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  return plan;
}

interface Ended {
  plan: CampaignPlan;
  row: CampaignRow;
  trials: TrialRow[];
}

async function ended(plan: CampaignPlan): Promise<Ended> {
  await awaitCampaign(engine, plan.id);
  return { plan, row: await engine.records.campaign(plan.id), trials: await engine.records.trials(plan.id) };
}

const run = async (shape: EchoCampaign): Promise<Ended> => ended(await begin(shape));

function workflowIds({ id, batches }: CampaignPlan): string[] {
  const trials = batches.flatMap((batch) => batch.trials.map((trial) => engine.names.trial(trial.id)));
  const generations = batches.flatMap(({ generation }) => (generation ? [engine.names.generation(generation.id)] : []));
  return [
    engine.names.campaign(id),
    ...batches.map((batch) => engine.names.batch(batch.id)),
    ...generations,
    ...trials,
  ];
}

describe('a campaign of 48 trials with three systems', () => {
  let campaign: Ended;
  beforeAll(async () => {
    const generators = ['echo', 'noise', 'model'];
    campaign = await run({ name: 'whole', generators, dataset: { tasks: 16 }, model: modelSpec('scripted') });
  });

  test('ends completed, with every trial graded as its answer deserves', () => {
    const outcomes = (system: string) =>
      campaign.trials.filter(({ systemId }) => systemId === system).map(({ outcome }) => outcome);
    expect(campaign.row.status).toBe('completed');
    expect(campaign.row.trials).toMatchObject({ planned: 48, done: 48, errored: 0, not_run: 0 });
    expect(outcomes('echo')).toEqual(Array(16).fill('passed'));
    expect(outcomes('model')).toEqual(Array(16).fill('failed'));
    expect(new Set(outcomes('noise'))).toEqual(new Set(['passed', 'failed']));
    const reasons = new Set(campaign.trials.map(({ reason }) => reason));
    expect(reasons).toEqual(new Set([null, 'not-localized', 'vote-rejected', 'not-equal']));
  });

  test('pays each model call once, and totals are the sums over the trials', () => {
    expect(model.requests.filter((seen) => seen.model === 'scripted')).toHaveLength(16);
    expect(campaign.row.spend).toMatchObject({ calls: 16, repeatedCalls: 0 });
    const sum = campaign.trials.reduce((total, { costMicroUsd }) => total + costMicroUsd, 0);
    expect(campaign.row.spend.microUsd).toBe(sum);
    expect(sum).toBeGreaterThan(0);
  });

  test('keeps histories small: events of at most 8 KiB, at most 80 a trial, and no prompt or completion in any', async () => {
    const histories = await campaignHistories(engine.client, workflowIds(campaign.plan));
    for (const { workflowId: id, biggest } of histories)
      expect(biggest.bytes, `${biggest.type} of ${id}`).toBeLessThanOrEqual(8 * KIBIBYTE);
    const trials = histories.filter(({ type }) => type === 'trial');
    expect(trials).toHaveLength(48);
    expect(Math.max(...trials.map(({ events }) => events))).toBeLessThanOrEqual(80);
    const secrets = ['SCRIPTED-COMPLETION', 'I would rather not', 'Repeat this line', 'You repeat lines'];
    const texts = [...secrets, ...echoTasks(16).map(({ expected }) => expected)];
    for (const { workflowId: id, text } of histories)
      for (const secret of texts) expect(text.includes(secret), `"${secret}" in the history of ${id}`).toBe(false);
  });

  test('runs six activities of its own name in a whole trial, and schedules none that does not apply', async () => {
    const [first] = echoTasks(1);
    const idOf = (system: string) => recordId.trial(campaign.plan.id, first?.id ?? '', system, 1);
    const ids = ['echo', 'model'].map((system) => engine.names.trial(idOf(system)));
    const [whole, cut] = await campaignHistories(engine.client, ids);
    expect(whole?.activityTypes).toEqual(['harvest', 'generate', 'localize', 'vote', 'execute', 'score']);
    expect(cut?.activityTypes).toEqual(['harvest', 'generate', 'localize', 'score']);
    const { runs } = await engine.records.trial(idOf('model'));
    expect(runs[0]?.skipped.map(({ stage }) => stage)).toEqual(['vote', 'execute']);
  });

  test('tells the Temporal UI what a trial cost', async () => {
    const query = `DurabenchCampaign = '${campaign.plan.id}' AND DurabenchCostUsd > 0`;
    const isThere = async (): Promise<boolean> => (await engine.client.workflow.count(query)).count === 17;
    expect(await waitUntil(isThere)).toBe(true); // 16 trials and the campaign
  });

  test('can be found in the Temporal UI by what it ended as', async () => {
    const query = `DurabenchCampaign = '${campaign.plan.id}' AND DurabenchOutcome = 'failed' AND DurabenchSystem = 'model'`;
    const isThere = async (): Promise<boolean> => (await engine.client.workflow.count(query)).count === 16;
    expect(await waitUntil(isThere)).toBe(true);
  });

  test('does nothing again when it is started again', async () => {
    const before = model.requests.length;
    await startCampaign(engine, campaign.plan.id);
    const again = await ended(campaign.plan);
    expect(again.row).toMatchObject({ status: 'completed', trials: campaign.row.trials });
    expect(again.row.epoch).toBe(campaign.row.epoch + 1);
    expect(model.requests).toHaveLength(before);
  });
});

describe('a shared candidate', () => {
  test('is generated and prepared once, before the trials that are graded on it', async () => {
    const campaign = await run({ name: 'shared', generators: ['echo', 'noise'], dataset: { tasks: 12, share: true } });
    expect(campaign.row).toMatchObject({ status: 'completed', trials: { done: 24, errored: 0, not_run: 0 } });
    expect(campaign.trials.filter(({ systemId }) => systemId === 'echo').every((t) => t.outcome === 'passed')).toBe(
      true,
    );
    const histories = await campaignHistories(engine.client, workflowIds(campaign.plan));
    const generations = histories.filter(({ type }) => type === 'generation');
    expect(generations).toHaveLength(6); // 2 systems × 3 groups
    for (const { activityTypes } of generations) expect(activityTypes).toEqual(['generate', 'prepare']);
  });

  test('that cannot be made ends its trials with the failure’s blame, and leaves the others alone', async () => {
    const generators = ['model', 'echo'];
    const dataset = { tasks: 12, share: true };
    const { row, trials } = await run({ name: 'refused', generators, dataset, model: modelSpec('refusing') });
    expect(row).toMatchObject({ status: 'completed', trials: { passed: 12, errored: 12 } });
    const errored = trials.filter(({ systemId }) => systemId === 'model');
    for (const trial of errored)
      expect(trial).toMatchObject({ outcome: 'errored', blame: 'infrastructure', reason: 'model.unauthorized' });
  });

  test('that the budget does not allow leaves its trials not run', async () => {
    const budget = { usd: 0.000_001, tokens: null };
    const dataset = { tasks: 6, share: true };
    const { row, trials } = await run({
      name: 'poor',
      generators: ['model'],
      dataset,
      budget,
      model: modelSpec('scripted'),
    });
    expect(row).toMatchObject({ status: 'budget_exhausted', trials: { not_run: 6 } });
    for (const trial of trials) expect(trial).toMatchObject({ outcome: 'not_run', blame: 'budget' });
  });
});

describe('trouble', () => {
  test('a lost sandbox is tried again, a broken task is not, and neither is a zero', async () => {
    const dataset = { tasks: 12, failEvery: 4, brokenEvery: 6 };
    const { row, trials, plan } = await run({ name: 'trouble', generators: ['echo'], dataset });
    expect(row.trials).toMatchObject({ passed: 10, errored: 2, failed: 0 });
    const broken = trials.filter(({ outcome }) => outcome === 'errored');
    for (const trial of broken) expect(trial).toMatchObject({ blame: 'task', reason: 'task.broken' });
    const lost = recordId.trial(plan.id, echoTasks(4)[3]?.id ?? '', 'echo', 1);
    const { attempts } = await engine.records.trial(lost);
    const executions = attempts.filter(({ stage }) => stage === 'execute');
    expect(executions.map(({ failure }) => failure?.type ?? null)).toEqual(['sandbox.lost', null]);
  });

  test('attempts are counted by failure type over workers’ attempts, and end at the cap of the type', async () => {
    const shape = { name: 'garbled', generators: ['model'], dataset: { tasks: 1 }, model: modelSpec('garbling') };
    const { trials } = await run(shape);
    expect(trials[0]).toMatchObject({ outcome: 'errored', blame: 'infrastructure', reason: 'model.bad-answer' });
    expect(model.requests.filter((seen) => seen.model === 'garbling')).toHaveLength(3);
  });

  test('an error in a plan ends its trial as errored(harness) instead of retrying a workflow task for ever', async () => {
    const plan = await echoPlan({ name: 'ghost', generators: ['echo'], dataset: { tasks: 2 } });
    await engine.records.createCampaign({ ...plan, spec: { ...plan.spec, suite: 'ghost' } });
    await startCampaign(engine, plan.id);
    const { row, trials } = await ended(plan);
    expect(row).toMatchObject({ status: 'completed', trials: { errored: 2 } });
    expect(trials[0]).toMatchObject({ blame: 'harness', reason: 'harness.bug' });
    expect(trials[0]?.message).toContain('ghost');
  });

  test('a worker that stands still for longer than its beats may be apart goes on where it was: nothing is asked twice', async () => {
    letThrough(0);
    const shape = { name: 'still', generators: ['model'], dataset: { tasks: 4 }, model: modelSpec('gated') };
    const asked = (): number => model.requests.filter((seen) => seen.model === 'gated').length;
    const before = asked();
    const plan = await begin(shape);
    expect(await waitUntil(() => answers.waiting.length === 4)).toBe(true);
    const ids = plan.batches.flatMap((batch) => batch.trials.map((trial) => engine.names.trial(trial.id)));
    /** Whether of every question a later attempt is known, and heard of since then. */
    const areTriedAgain = async (heardSince: number): Promise<boolean> => {
      const found = await Promise.all(ids.map((id) => engine.client.workflow.getHandle(id).describe()));
      return found.every(({ raw: { pendingActivities } }) => {
        const [step] = pendingActivities ?? [];
        const heard = Number(step?.lastHeartbeatTime?.seconds ?? 0);
        return (step?.attempt ?? 0) > 1 && heard >= heardSince;
      });
    };
    process.kill(worker.pid, 'SIGSTOP');
    const isGivenUp = await waitUntil(() => areTriedAgain(0)).finally(() => process.kill(worker.pid, 'SIGCONT'));
    expect(isGivenUp).toBe(true);
    const goesOnAt = Date.now() / 1000;
    // By then the first attempts have learned that the server knows them no longer.
    expect(await waitUntil(() => areTriedAgain(goesOnAt))).toBe(true);
    letThrough(Infinity);
    const { row } = await ended(plan);
    expect(row).toMatchObject({ status: 'completed', trials: { done: 4, passed: 4 } });
    expect(row.spend).toMatchObject({ calls: 4, repeatedCalls: 0 });
    expect(asked() - before).toBe(4);
  });

  test('a trial terminated by hand leaves no open row, and the campaign goes on', async () => {
    letThrough(0);
    const plan = await begin({
      name: 'killed',
      generators: ['model'],
      dataset: { tasks: 4 },
      model: modelSpec('gated'),
    });
    const victim = recordId.trial(plan.id, echoTasks(1)[0]?.id ?? '', 'model', 1);
    expect(await waitUntil(() => answers.waiting.length === 4)).toBe(true);
    await terminated(engine.names.trial(victim));
    letThrough(Infinity);
    const { row, trials } = await ended(plan);
    expect(row).toMatchObject({ status: 'completed', trials: { done: 4, passed: 3 } });
    expect(trials.find(({ id }) => id === victim)).toMatchObject({
      state: 'done',
      outcome: 'not_run',
      blame: 'operator',
    });
  });
});

test('a campaign terminated by hand and started again at once waits for its old children, and ends right', async () => {
  letThrough(2);
  const shape = { name: 'again', generators: ['model'], dataset: { tasks: 12 }, model: modelSpec('gated') };
  const plan = await begin({ ...shape, concurrency: { trials: 4 } });
  const isUnderWay = async (): Promise<boolean> => (await engine.records.campaign(plan.id)).trials.done >= 2;
  expect(await waitUntil(isUnderWay)).toBe(true);
  await terminated(engine.names.campaign(plan.id));
  const { epoch, server } = await engine.records.campaign(plan.id);
  const asked = { selection: { action: 'resume' }, author: 'test', reason: 'test', isDryRun: false } as const;
  await engine.records.planRuns({ ...asked, campaignId: plan.id, epoch, server: server! });
  await startCampaign(engine, plan.id);
  // Its old children are still there, waiting for their answers.
  letThrough(Infinity);
  const { row, trials } = await ended(plan);
  expect(row).toMatchObject({ status: 'completed', epoch: 3, trials: { done: 12, passed: 12 } });
  // Nothing is left running under any of its ids.
  const open = `ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${engine.names.trial(`${plan.id}/`)}'`;
  const isQuiet = async (): Promise<boolean> => (await engine.client.workflow.count(open)).count === 0;
  expect(await waitUntil(isQuiet)).toBe(true);
  expect(trials.every(({ state }) => state === 'done')).toBe(true);
});

async function terminated(id: string): Promise<void> {
  const terminate = (): Promise<boolean> =>
    engine.client.workflow
      .getHandle(id)
      .terminate('by hand')
      .then(
        () => true,
        () => false, // not started yet
      );
  expect(await waitUntil(terminate)).toBe(true);
}

describe('the operator', () => {
  let plan: CampaignPlan | undefined;
  afterEach(async () => {
    if (plan) await cancelCampaign(engine, plan.id);
  });
  const doneTrials = async (id: string): Promise<number> => (await engine.records.campaign(id)).trials.done;
  const desire = (campaignId: string, state: 'pause' | 'run' | 'cancel') =>
    engine.records.setDesiredState({ campaignId, state, author: 'test', reason: 'test' });

  test('pauses: running stages finish, nothing new starts; and resumes by a wake-up, not by the fallback timer', async () => {
    plan = await begin({
      ...{ name: 'paused', generators: ['echo'], dataset: { tasks: 30, sleepMs: scaled(300) } },
      concurrency: { trials: 2 },
    });
    const { id } = plan;
    expect(await waitUntil(async () => (await doneTrials(id)) >= 2)).toBe(true);
    await desire(id, 'pause');
    const isQuiet = async (): Promise<boolean> =>
      (await engine.records.trials(id)).every(({ state }) => state !== 'running');
    expect(await waitUntil(isQuiet)).toBe(true);
    const held = await doneTrials(id);
    expect(held).toBeLessThan(30);
    expect((await engine.records.campaign(id)).status).toBe('paused');
    await desire(id, 'run');
    await wakeCampaign(engine, id);
    expect((await ended(plan)).row).toMatchObject({ status: 'completed', trials: { passed: 30 } });
    const [batch] = await campaignHistories(engine.client, [engine.names.batch(plan.batches[0]?.id ?? '')]);
    expect(batch?.eventTypes).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED');
    expect(batch?.eventTypes).not.toContain('EVENT_TYPE_TIMER_FIRED');
  });

  test('cancels: running trials end at once as not run, and no row stays open', async () => {
    plan = await begin({ name: 'cancelled', generators: ['echo'], dataset: { tasks: 40, sleepMs: 3_600_000 } });
    const { id } = plan;
    const isSleeping = async (): Promise<boolean> =>
      (await engine.records.trials(id)).filter(({ state }) => state === 'running').length >= 10;
    expect(await waitUntil(isSleeping)).toBe(true);
    await desire(id, 'cancel');
    await cancelCampaign(engine, id);
    const { row, trials } = await ended(plan);
    // Not after the hour that they sleep: nothing waits that long here.
    expect(row).toMatchObject({ status: 'cancelled', trials: { done: 40, not_run: 40 } });
    for (const trial of trials) expect(trial).toMatchObject({ blame: 'operator', reason: 'operator.cancelled' });
    // Those that ran, those that waited for a place in the window, and those of a batch not begun: told alike.
    expect(new Set(trials.map(({ message }) => message))).toEqual(new Set(['cancelled before its end']));
    expect(await describeCampaign(engine, id)).toMatchObject({ status: 'cancelled', isRunning: false });
  });
});

test('answers that were coming when their worker was killed are fetched from a provider that keeps them: no call is repeated', async () => {
  const keeping = { ...modelSpec('keeping'), stored: true as const, maxOutputTokens: 1_000, timeoutSeconds: 300 };
  const plan = await begin({ name: 'kept', generators: ['model'], dataset: { tasks: 6 }, model: keeping });
  const connection = openDatabase({ connectionString: database.databaseUrl, maxConnections: 1 });
  const haveAllBegun = async (): Promise<boolean> => {
    const { rows } = await sql<{ begun: number }>`
      select count(completion_id) as begun from sends join calls using (key) where campaign_id = ${plan.id}`.execute(
      connection.kysely,
    );
    return rows[0]?.begun === 6;
  };
  expect(await waitUntil(haveAllBegun)).toBe(true);
  await worker.stop('SIGKILL');
  const dead = (await engine.records.unretiredWorkers()).filter((name) => name.split('/')[1] === String(worker.pid));
  expect(dead).toHaveLength(1);
  // As the reaper does; else its lease runs out by itself.
  await engine.records.retireWorker(dead[0]!);
  // On a busy machine the first of them are answered before the last one begins.
  const { rows: coming } = await sql`
    select from sends join calls using (key) where campaign_id = ${plan.id} and sends.state = 'sent'`
    .execute(connection.kysely)
    .finally(() => connection.close());
  expect(coming.length).toBeGreaterThan(0);
  worker = await startWorker();
  const { row, trials } = await ended(plan);
  expect(row).toMatchObject({ status: 'completed', trials: { done: 6, errored: 0, not_run: 0 } });
  expect(model.requests.filter((seen) => seen.model === 'keeping')).toHaveLength(6);
  expect(row.spend).toMatchObject({ calls: 6, repeatedCalls: 0, recoveredCalls: coming.length });
  // What the provider counted, not what was reserved.
  expect(row.spend.tokens).toBe(trials.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(row.spend.tokens).toBeLessThan(6 * 400);
});

test('a worker stopped with SIGTERM finishes what it began; the next one does the rest, and nothing twice', async () => {
  const plan = await begin({ name: 'stopped', generators: ['noise'], dataset: { tasks: 24, sleepMs: 300 } });
  const areSomeDone = async (): Promise<boolean> => (await engine.records.campaign(plan.id)).trials.done >= 4;
  expect(await waitUntil(areSomeDone)).toBe(true);
  await worker.stop('SIGTERM');
  expect(worker.child.exitCode).toBe(0);
  worker = await startWorker();
  const { row, trials } = await ended(plan);
  expect(row).toMatchObject({ status: 'completed', trials: { done: 24, errored: 0, not_run: 0 } });
  const details = await Promise.all(trials.map(({ id }) => engine.records.trial(id)));
  const attempts = details.flatMap(({ trial, attempts: of }) => of.map((one) => ({ ...one, trial: trial.id })));
  expect(attempts.filter(({ failure }) => failure !== null)).toEqual([]);
  const steps = attempts.map(({ trial, stage, step }) => `${trial} ${stage} ${step}`);
  expect(steps.filter((key, index) => steps.indexOf(key) !== index)).toEqual([]);
});
