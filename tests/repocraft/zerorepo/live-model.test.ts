import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileBlobs } from '../../../src/adapters/blobs/file-blobs.js';
import { createOpenAiModel } from '../../../src/adapters/openai/openai-model.js';
import { createLedger } from '../../../src/adapters/postgres/ledger/ledger.js';
import { createRecords } from '../../../src/adapters/postgres/records.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../../src/fakes/scripted-model-server.js';
import { createMeteredModel } from '../../../src/ledger/metered-model.js';
import type { Asker, Question } from '../../../src/ports/model.js';
import { stageOf } from '../../../tasks/repocraft/generators/zerorepo/graph/graph-format.js';
import { campaignPlan } from '../../fixtures/engine/campaign-plan.js';
import { planTextkit } from '../../fixtures/zerorepo/planned-textkit.js';
import { migratedDatabase, type MigratedDatabase } from '../../fixtures/postgres/postgres.js';
import { scaled } from '../../vitest/yardstick.js';

/**
 * The planning stages on what a real, small model says: any OpenAI-compatible endpoint in DURABENCH_LIVE_BASE_URL, and
 * its model's name in DURABENCH_LIVE_MODEL. Five calls of 128 tokens: far too little to plan, enough to be messy.
 */
const CALLS = 5;
const OUTPUT_TOKENS = 128;
/** A small model on a loaded machine says a token a second. */
const CALL_SECONDS = 600;
const { DURABENCH_LIVE_BASE_URL: endpoint, DURABENCH_LIVE_MODEL: name = 'default' } = process.env;

let database: MigratedDatabase;
const folder = mkdtempSync(join(tmpdir(), 'durabench-live-'));

beforeAll(async () => {
  database = await migratedDatabase();
});

afterAll(async () => {
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Plans until the calls are used up. What it cannot be is a crash: its end is a graph that holds, or a named failure. */
async function plan(campaignId: string, baseUrl: string): Promise<{ end: string; calls: number; tokens: number }> {
  const records = createRecords(database);
  const limit = { usd: null, tokens: 20_000 };
  const campaign = campaignPlan({ id: campaignId, batches: 1, trialsPerBatch: 1, shared: true });
  campaign.spec.models = {
    m: {
      ...{ name, baseUrl, apiKeyEnv: null, price: { input: 1, output: 1 } },
      ...{ maxOutputTokens: OUTPUT_TOKENS, temperature: 0, timeoutSeconds: CALL_SECONDS },
    },
  };
  const [system] = campaign.spec.systems;
  if (system === undefined) throw new Error('a plan without a system');
  Object.assign(system, { model: 'm', limits: { ...limit, total: { usd: null, tokens: null } } });
  await records.createCampaign(campaign);
  await records.beatWorker({ instance: 'live', host: 'test', pid: 1 });
  const owner = { kind: 'generation', id: campaign.batches[0]?.generation?.id ?? '' } as const;
  const { signal } = new AbortController();
  const asker: Asker = {
    ...{
      account: { kind: 'campaign' as const, id: campaignId },
      epoch: 0,
      owner,
      stage: 'generate',
      step: 'plan',
      fresh: 0,
      spec: campaign.spec,
      system,
      signal,
    },
  };
  const ports = { ledger: createLedger(database), blobs: createFileBlobs({ folder }), worker: 'live' };
  const model = createMeteredModel({ ...ports, model: createOpenAiModel({ readKey: () => undefined }) });
  let calls = 0;
  const ask = async (question: Question) => {
    if (calls === CALLS) throw new DomainFailure('system.limit-reached', 'five calls are enough');
    calls += 1;
    return (await model.ask(asker, { ...question, ordinal: calls })).answer;
  };
  const end = await planTextkit({ ask }).then(
    ({ graph }) => `planned to ${stageOf(graph) ?? 'nothing'}`,
    (error: unknown) => (error instanceof DomainFailure ? error.type : `crashed: ${String(error)}`),
  );
  const { tokens } = await records.ownerCost(owner);
  return { end, calls, tokens };
}

/** An end somebody has a name for, within the limits. */
function expectTame({ end, calls, tokens }: Awaited<ReturnType<typeof plan>>): void {
  expect(end).toMatch(/^(planned to \w+|system\.limit-reached|model\.(context-length|bad-request|bad-answer))$/);
  expect(calls).toBeLessThanOrEqual(CALLS);
  expect(tokens).toBeLessThanOrEqual(20_000);
}

describe('planning with answers nobody can use', () => {
  let server: ScriptedModelServer;
  const MESSES = [
    'Sure! Here is a list:\n1. Count words\n2. Split',
    '{"features": [{"path": "Text"',
    '\u0000\ud83d',
    '',
  ];

  beforeAll(async () => {
    const rules = MESSES.map((answer) => ({ answer, times: 1 }));
    server = await startScriptedModelServer({ rules: { rules, default: { answer: 'I am a language model.' } } });
  });
  afterAll(() => server?.close());

  test('ends in a graph or with a named failure, within calls and tokens', async () => {
    const end = await plan('messy', server.url);
    expectTame(end);
    expect(end.calls).toBe(CALLS);
    expect(server.requests).toHaveLength(CALLS);
  });
});

test(
  'planning with a real model ends in a graph or with a named failure, within calls and tokens',
  async ({ skip }) => {
    if (endpoint === undefined) skip('DURABENCH_LIVE_BASE_URL names no endpoint: there is no real model to ask here');
    const end = await plan('live', endpoint ?? '');
    console.log(`planning with the model at ${endpoint}: ${end.end}, ${end.calls} calls, ${end.tokens} tokens`);
    expectTame(end);
  },
  scaled(CALLS * CALL_SECONDS * 1000),
);
