import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../src/adapters/postgres/schema/database.js';
import { createPacing } from '../../src/adapters/postgres/ledger/ledger-pacing.js';
import { awaitCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import type { CampaignPlan } from '../../src/contract/plan.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { pacingConformance } from '../../src/ports/conformance/pacing.conformance.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { echoPlan } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine, type TestWorker } from '../fixtures/engine/engine.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { runThrottled, scriptedSpec, type Throttle, type ThrottledRun } from '../fixtures/engine/throttled-run.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';
import { scaled } from '../vitest/yardstick.js';

/** What does not shrink with the minute: pauses of whole seconds, and a probe that finds the provider back only seconds later. */
const UNSCALED_SECONDS = 12;

/** 60 requests and 30,000 tokens a minute, where a minute takes 30 seconds; the full one: `npx tsx bench/engine/limiter.ts`. */
const THROTTLE: Throttle = {
  ...{ requestsPerMinute: 120, tokensPerMinute: 60_000, burstSeconds: 3 },
  ...{ retryAfter: 'sometimes', headers: false, errorShare: 0.05 },
};
const TASKS = 50;

let database: FreshDatabase;
let engine: Engine;
let workers: TestWorker[];
let other: ScriptedModelServer;
let records: Database;

beforeAll(async () => {
  database = await freshDatabase();
  engine = await startEngine(database.databaseUrl);
  records = openDatabase({ connectionString: database.databaseUrl, maxConnections: 2 });
  other = await startScriptedModelServer({ rules: { default: { answer: 'Answer: nothing' } } });
  const bundle = BUILT_BUNDLE;
  // Few slots, so that calls that waited in them would be in everybody's way.
  const start = { bundle, arguments: ['--slots', 'model=3'] };
  workers = await Promise.all([engine.startWorker(start), engine.startWorker(start)]);
});

afterAll(async () => {
  await records?.close();
  await other?.close();
  await engine?.close();
  await database?.drop();
});

pacingConformance('the pacing in Postgres', () => createPacing(records));

describe('two workers and a provider that throttles, fails and goes away', () => {
  let run: ThrottledRun;
  let bystander: { seconds: number; openElsewhere: number; graded: number; answeredMeanwhile: number };

  beforeAll(async () => {
    run = await runThrottled(
      engine,
      { name: 'throttled', tasks: TASKS, window: 25, throttle: THROTTLE },
      async (id, { requests, awayDuring }) => {
        const answered = (): number => requests.filter(({ status }) => status === 200).length;
        expect(await waitUntil(() => answered() >= 12)).toBe(true);
        await awayDuring(async () => {
          const isNoticed = (): boolean => requests.some(({ rule }) => rule === 'outage');
          expect(await waitUntil(isNoticed)).toBe(true);
          const before = answered();
          const campaign = await runBystander(id);
          bystander = { ...campaign, answeredMeanwhile: answered() - before };
        });
      },
    );
    const { makespanSeconds, idealSeconds, requests } = run;
    const count = (status: number): number => requests.filter((seen) => seen.status === status).length;
    console.log(
      `limiter: ${TASKS} trials in ${makespanSeconds.toFixed(1)} s, ideal ${idealSeconds.toFixed(1)} s; ` +
        `${count(200)} answers, ${count(429)} × 429, ${count(500)} × 500, ${count(503)} × 503; bystander ${bystander.seconds.toFixed(1)} s`,
    );
  });

  test('every trial ends with a verdict, none is blamed for it, and nothing is paid twice', () => {
    expect(run.row.status).toBe('completed');
    expect(run.row.trials).toMatchObject({ done: TASKS, passed: TASKS });
    expect(run.row.spend).toMatchObject({ calls: TASKS, repeatedCalls: 0 });
    for (const status of [200, 429, 500, 503]) expect(run.requests.map((seen) => seen.status)).toContain(status);
  });

  test('takes little longer than anybody could', () => {
    // The bystander was not limited at all: as slow as this machine makes it, all else is as well. The bench has 1.25 alone.
    const machineSeconds = 3 * bystander.seconds;
    expect(run.makespanSeconds).toBeLessThanOrEqual(
      1.25 * run.idealSeconds + scaled(UNSCALED_SECONDS) + machineSeconds,
    );
  });

  test('does not hammer: fewer refusals than answers, and an outage is probed, not stormed', () => {
    const count = (rule: string): number => run.requests.filter((seen) => seen.rule === rule).length;
    expect(count('limits')).toBeLessThan(TASKS);
    // Probes come a second, two, three … ten after each other, once the calls in flight have failed.
    expect(count('outage')).toBeLessThan(20 + bystander.seconds);
  });

  test('holds no slot while it waits: another provider’s calls go through the same slots meanwhile', () => {
    // The provider was away all the time and far more calls waited for it than there are slots, yet these went through.
    expect(bystander).toMatchObject({ graded: 6, answeredMeanwhile: 0 });
    expect(bystander.openElsewhere).toBeGreaterThan(10);
  });

  test('is shared by both workers, and each says in its log what it changed and why', async () => {
    const details = await Promise.all(run.trials.map(({ id }) => engine.records.trial(id)));
    const asked = details.flatMap(({ attempts }) => attempts.filter(({ stage }) => stage === 'generate'));
    expect(new Set(asked.map(({ worker }) => worker)).size).toBe(2);
    const logs = await Promise.all(workers.map(({ logFile }) => readFile(logFile, 'utf8')));
    expect(logs.join('\n')).toMatch(/"from":\d+,"to":\d+,"reason":"refused with 429"/);
    expect(logs.join('\n')).toMatch(/"holdMs":\d+,"reason":"it /);
  });
});

async function ended(plan: CampaignPlan) {
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  await awaitCampaign(engine, plan.id);
  return { row: await engine.records.campaign(plan.id), trials: await engine.records.trials(plan.id) };
}

test('"Retry-After: 0" means again, not never', async () => {
  const impatient = { match: { attempt: 1 }, status: 429, headers: { 'retry-after': '0' } };
  const server = await startScriptedModelServer({ rules: { rules: [impatient], default: { answer: 'Answer: no' } } });
  const shape = { name: 'again', generators: ['model'], dataset: { tasks: 2 }, model: scriptedSpec(server.url) };
  const { row } = await ended(await echoPlan(shape)).finally(() => server.close());
  expect(row).toMatchObject({ status: 'completed', trials: { failed: 2, errored: 0 } });
});

describe('limits of money, on the same engine', () => {
  test('a soft one stops admissions: what runs is graded, what waits is not run, and a higher one goes on', async () => {
    const shape = { name: 'soft', generators: ['model'], dataset: { tasks: 30 }, model: scriptedSpec(other.url) };
    // A call costs some 80 micro-dollars here, and 900 are reserved for it.
    const budget = { usd: 0.02, tokens: null, soft: 0.02 };
    const plan = await echoPlan({ ...shape, budget, concurrency: { trials: 3 } });
    const { row, trials } = await ended(plan);
    expect(row).toMatchObject({ status: 'budget_exhausted', trials: { done: 30, errored: 0 } });
    expect(row.trials.failed).toBeGreaterThanOrEqual(5);
    expect(row.trials.not_run).toBeGreaterThan(10);
    for (const trial of trials.filter(({ outcome }) => outcome === 'not_run'))
      expect(trial).toMatchObject({ blame: 'budget', startedAt: null });

    const higher = { usd: 0.02, tokens: null, soft: null };
    const said = { campaignId: plan.id, author: 'test', reason: 'more' };
    await engine.records.setBudget({ ...said, change: higher });
    const { epoch, server } = await engine.records.campaign(plan.id);
    const selection = { action: 'resume' } as const;
    await engine.records.planRuns({ ...said, selection, isDryRun: false, epoch, server: server ?? '' });
    await startCampaign(engine, plan.id);
    await awaitCampaign(engine, plan.id);
    expect(await engine.records.campaign(plan.id)).toMatchObject({ status: 'completed', trials: { failed: 30 } });
  });

  test.each([false, true])(
    'a system’s own ends its candidate, and neither campaign nor others (shared: %s)',
    async (share) => {
      const shape = { name: 'own-limit', generators: ['model', 'echo'], model: scriptedSpec(other.url) };
      const plan = await echoPlan({ ...shape, dataset: { tasks: 4, share } });
      const limits = { usd: 0.0005, tokens: null, total: { usd: null, tokens: null } };
      plan.spec.systems = plan.spec.systems.map((system) => ({ ...system, limits }));
      const asked = other.requests.length;
      const { row, trials } = await ended(plan);
      expect(row).toMatchObject({ status: 'completed', trials: { passed: 4, failed: 4 } });
      for (const trial of trials.filter(({ systemId }) => systemId === 'model'))
        expect(trial).toMatchObject({ outcome: 'failed', blame: 'model', reason: 'system.limit-reached' });
      expect(other.requests).toHaveLength(asked);
    },
  );
});

/** A campaign on another provider, while the first one is unavailable. */
async function runBystander(throttled: string): Promise<{ seconds: number; openElsewhere: number; graded: number }> {
  const shape = { name: 'bystander', generators: ['model'], dataset: { tasks: 6 } };
  const plan = await echoPlan({ ...shape, model: scriptedSpec(other.url) });
  await engine.records.createCampaign(plan);
  const started = performance.now();
  await startCampaign(engine, plan.id);
  await awaitCampaign(engine, plan.id);
  const seconds = (performance.now() - started) / 1000;
  const { trials } = await engine.records.campaign(throttled);
  const own = await engine.records.campaign(plan.id);
  return { seconds, openElsewhere: trials.planned - trials.done, graded: own.trials.passed + own.trials.failed };
}
