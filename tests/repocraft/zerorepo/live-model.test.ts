import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileBlobs } from '../../../src/adapters/blobs/file-blobs.js';
import { createOpenAiModel } from '../../../src/adapters/openai/openai-model.js';
import { createLedger } from '../../../src/adapters/postgres/ledger/ledger.js';
import { createRecords } from '../../../src/adapters/postgres/records.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { ModelRulesInput } from '../../../src/fakes/model-rules.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../../src/fakes/scripted-model-server.js';
import { createMeteredModel } from '../../../src/ledger/metered-model.js';
import type { Asker } from '../../../src/ports/model.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { stageOf } from '../../../tasks/repocraft/generators/zerorepo/graph/graph-format.js';
import { needsOf } from '../../../tasks/repocraft/generators/zerorepo/graph/unit-order.js';
import { keepGraph } from '../../../tasks/repocraft/generators/zerorepo/steps/graph-blob.js';
import { writeCode, writeTests } from '../../../tasks/repocraft/generators/zerorepo/steps/write.js';
import { createModelVoter } from '../../../tasks/repocraft/voting/model-voter.js';
import type { Ballot } from '../../../tasks/repocraft/voting/voter.js';
import { campaignPlan } from '../../fixtures/engine/campaign-plan.js';
import { planTextkit } from '../../fixtures/zerorepo/planned-textkit.js';
import { migratedDatabase, type MigratedDatabase } from '../../fixtures/postgres/postgres.js';
import { PACKAGE_ROOT } from '../../fixtures/package-root.js';
import { scaled } from '../../vitest/yardstick.js';

/**
 * Planning, one unit and one vote on what a real, small model says: any OpenAI-compatible endpoint in
 * DURABENCH_LIVE_BASE_URL, and its model's name in DURABENCH_LIVE_MODEL. What is asked is bounded: five calls of 128 tokens
 * are far too little to plan, and enough to be messy.
 */
const { DURABENCH_LIVE_BASE_URL: endpoint, DURABENCH_LIVE_MODEL: name = 'default' } = process.env;
/** A small model on a loaded machine says a token a second. */
const CALL_SECONDS = 600;

type Ask = StageContext['ask'];

interface Part {
  /** Calls, and output tokens of each. */
  calls: number;
  outputTokens: number;
  /** What comes of it, in words. */
  play(ask: Ask): Promise<string>;
  /** Words that somebody has a name for. */
  tame: RegExp;
}

const PARTS = {
  planning: {
    ...{ calls: 5, outputTokens: 128, play: plan },
    tame: /^(planned to \w+|system\.limit-reached|model\.(context-length|bad-request|bad-answer))$/,
  },
  // Tests and code, each asked for three times at most.
  'a unit': { calls: 6, outputTokens: 512, play: writeUnit, tame: /^(tests and code|tests|code|nothing)$/ },
  // Asked once more where it cannot be read.
  'a vote': { calls: 2, outputTokens: 128, play: vote, tame: /^(yes|partial|no|abstain)$/ },
} satisfies Record<string, Part>;
const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

let database: MigratedDatabase;
const folder = mkdtempSync(join(tmpdir(), 'durabench-live-'));

beforeAll(async () => {
  database = await migratedDatabase();
});

afterAll(async () => {
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function plan(ask: Ask): Promise<string> {
  const { graph } = await planTextkit({ ask });
  return `planned to ${stageOf(graph) ?? 'nothing'}`;
}

/** Tests, then code of a function of textkit that needs no other; its design is that of the scripted planner. */
async function writeUnit(ask: Ask): Promise<string> {
  const { graph, context } = await planTextkit();
  const unit = graph.interfaces.find((one) => one.kind === 'function' && needsOf(one).length === 0);
  if (unit === undefined) throw new Error('every unit needs another');
  const own = { ...context, ask };
  const about = { graph: await keepGraph(own, graph, 'interfaces'), units: [[unit.id, 'x']] as [string, string][] };
  const { blob: tests } = await writeTests(own, about);
  const { blob: code } = await writeCode(own, { ...about, tests });
  const written = [tests === null ? [] : 'tests', code === null ? [] : 'code'].flat();
  return written.length === 0 ? 'nothing' : written.join(' and ');
}

async function vote(ask: Ask): Promise<string> {
  const { context } = await planTextkit();
  const source = 'def count_words(text):\n    """Number of words in a text."""\n    return len(text.split())\n';
  const task = { description: 'A function that tells how many words a text has. An empty text has none.' };
  const entry = {
    ...{ kind: 'function', name: 'count_words', qualname: 'count_words', module: 'kit.words', owner: null },
    ...{ signature: 'count_words(text)', doc: 'Number of words in a text.', file: 'kit/words.py', lines: [1, 3] },
  };
  const ballot = { task, entry, similarity: 0.7, source } as unknown as Ballot;
  const voter = createModelVoter({ ...context, ask }, { models: ['m'], maxOutputTokens: PARTS['a vote'].outputTokens });
  return (await voter(ballot, { voter: 1, round: 1 })).answer;
}

/** Plays a part on a model, through the ledger, until its calls are used up. What its end cannot be is a crash. */
async function played(part: Part, campaignId: string, baseUrl: string) {
  const records = createRecords(database);
  const limit = { usd: null, tokens: 20_000 };
  const campaign = campaignPlan({ id: campaignId, batches: 1, trialsPerBatch: 1, shared: true });
  campaign.spec.models = {
    m: {
      ...{ name, baseUrl, apiKeyEnv: null, price: { input: 1, output: 1 } },
      ...{ maxOutputTokens: part.outputTokens, temperature: 0, timeoutSeconds: CALL_SECONDS },
    },
  };
  const [system] = campaign.spec.systems;
  if (system === undefined) throw new Error('a plan without a system');
  Object.assign(system, { model: 'm', limits: { ...limit, total: { usd: null, tokens: null } } });
  await records.createCampaign(campaign);
  await records.beatWorker({ instance: 'live', host: 'test', pid: 1 });
  const owner = { kind: 'generation', id: campaign.batches[0]?.generation?.id ?? '' } as const;
  const asker: Asker = {
    ...{ account: { kind: 'campaign' as const, id: campaignId }, epoch: 0, owner, stage: 'generate', step: 'plan' },
    ...{ fresh: 0, spec: campaign.spec, system, signal: new AbortController().signal },
  };
  const ports = { ledger: createLedger(database), blobs: createFileBlobs({ folder }), worker: 'live' };
  const model = createMeteredModel({ ...ports, model: createOpenAiModel({ readKey: () => undefined }) });
  let calls = 0;
  const ask: Ask = async (question) => {
    if (calls === part.calls) throw new DomainFailure('system.limit-reached', 'so many calls are enough');
    calls += 1;
    return (await model.ask(asker, { ...question, ordinal: calls })).answer;
  };
  const end = await part.play(ask).catch((error: unknown) => {
    return error instanceof DomainFailure ? error.type : `crashed: ${String(error)}`;
  });
  const { tokens } = await records.ownerCost(owner);
  return { end, calls, tokens };
}

/** An end somebody has a name for, within the limits. */
function expectTame({ end, calls, tokens }: Awaited<ReturnType<typeof played>>, part: Part): void {
  expect(end).toMatch(part.tame);
  expect(calls).toBeLessThanOrEqual(part.calls);
  expect(tokens).toBeLessThanOrEqual(20_000);
}

const idOf = (kind: string, part: string): string => `${kind}-${part.replaceAll(' ', '-')}`;

describe('a model that says what nobody can use', () => {
  let server: ScriptedModelServer;
  const MESSES = [
    'Sure! Here is a list:\n1. Count words\n2. Split',
    '{"features": [{"path": "Text"',
    '\u0000\ud83d',
    '',
  ];
  const ENDS = { planning: /./, 'a unit': /^nothing$/, 'a vote': /^abstain$/ };

  beforeAll(async () => {
    const rules = MESSES.map((answer) => ({ answer, times: 1 }));
    server = await startScriptedModelServer({ rules: { rules, default: { answer: 'I am a language model.' } } });
  });
  afterAll(() => server?.close());

  test.each(NAMES)('%s ends with a name, within calls and tokens', async (part) => {
    const before = server.requests.length;
    const end = await played(PARTS[part], idOf('messy', part), server.url);
    expectTame(end, PARTS[part]);
    expect(end.end).toMatch(ENDS[part]);
    expect(end.calls).toBe(PARTS[part].calls);
    expect(server.requests).toHaveLength(before + end.calls);
  });
});

describe('a model that can do it', () => {
  let server: ScriptedModelServer;
  beforeAll(async () => {
    const rules: ModelRulesInput = {
      library: join(PACKAGE_ROOT, 'tasks', 'repocraft', 'projects', 'textkit'),
      rules: [{ match: { purpose: 'vote' }, answer: '{"answer": "YES", "reason": "It counts words."}' }],
      default: { plays: 'competent' },
    };
    server = await startScriptedModelServer({ rules });
  });
  afterAll(() => server?.close());

  test.each([
    ['a unit', 'tests and code', 2],
    ['a vote', 'yes', 1],
  ] as const)('%s comes to its end', async (part, end, calls) => {
    expect(await played(PARTS[part], idOf('able', part), server.url)).toMatchObject({ end, calls });
  });
});

test(
  'planning, a unit and a vote with a real model end with a name, within calls and tokens',
  async ({ skip }) => {
    if (endpoint === undefined) skip('DURABENCH_LIVE_BASE_URL names no endpoint: there is no real model to ask here');
    for (const part of NAMES) {
      const end = await played(PARTS[part], idOf('live', part), endpoint ?? '');
      console.log(`${part} with the model at ${endpoint}: ${end.end}, ${end.calls} calls, ${end.tokens} tokens`);
      expectTame(end, PARTS[part]);
    }
  },
  scaled(NAMES.reduce((sum, part) => sum + PARTS[part].calls, 0) * CALL_SECONDS * 1000),
);
