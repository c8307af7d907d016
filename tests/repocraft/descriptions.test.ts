import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOpenAiModel } from '../../src/adapters/openai/openai-model.js';
import { recordId } from '../../src/domain/campaign/ids.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import { FAILURE_TABLE } from '../../src/domain/failure/failure-table.js';
import { createMemoryBlobs } from '../../src/fakes/memory-blobs.js';
import { createMemoryLedger } from '../../src/fakes/memory-ledger.js';
import type { ModelRulesInput } from '../../src/fakes/model-rules.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { createMeteredModel } from '../../src/ledger/metered-model.js';
import { describeTask, type Description } from '../../tasks/repocraft/dataset/describing/describe-task.js';
import { descriptionProblem } from '../../tasks/repocraft/dataset/describing/description-problem.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { campaignSpec, systemSpec } from '../../src/fakes/suite-bench.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { scaled } from '../vitest/yardstick.js';

// A model describes tasks over HTTP, through the metered port, with everything a model and its endpoint may get wrong.
// `tests/repocraft/dataset-build.test.ts` does it by the command line.

type Rule = NonNullable<ModelRulesInput['rules']>[number];

const GIVING_AWAY = ['shoplib', 'shop-lib'];
const GOOD =
  'A basket that adds up the prices of what was put into it. Empty ones come to nothing, and unknown goods are refused.';
const json = (description: string): string => JSON.stringify({ description });

/** What each model does, one reply after the other, and then for ever: {@link GOOD}. Transport trouble is a reply as well. */
const BEHAVIOUR: Record<string, Omit<Rule, 'match'>[]> = {
  honest: [{ answer: `Here it is:\n${json(GOOD)}` }],
  riddle: [{ answer: 'A basket, one might say.' }],
  riddles: [{ answer: 'A basket.' }, { answer: 'As I said.' }],
  contradiction: [{ answer: `${json(GOOD)}\n${json(`${GOOD} Or not.`)}` }],
  contradictions: [
    { answer: `${json(GOOD)}\n${json(`${GOOD} Or not.`)}` },
    { answer: `${json(GOOD)}${json(`${GOOD} Well.`)}` },
  ],
  telling: [{ answer: json(`${GOOD} As in ShopLib.`) }],
  naming: [{ answer: json(`${GOOD} See BasketTotal.`) }],
  coding: [{ answer: json(`${GOOD} Call sum(basket).`) }],
  stubborn: [{ answer: json(`${GOOD} As in shop-lib.`) }, { answer: json(`${GOOD} Not that of shoplib.`) }],
  terse: [{ answer: json('Baskets.') }],
  endless: [{ answer: json(GOOD.repeat(20)) }],
  prudish: [{ status: 400, error: { message: 'not that', code: 'content_policy_violation' } }],
  slow: [{ delayMs: 600_000, answer: 'too late' }],
  away: [{ delayMs: 600_000, answer: 'too late' }, { cut: 'before-reply' }],
  busy: [{ status: 429, headers: { 'retry-after': 0 } }, { status: 500 }, { cut: 'before-reply' }],
};
/** Of a model that does not answer; the others have all the time of a slow machine. */
const TIMEOUT_SECONDS = scaled(3);

const ACCOUNT = { kind: 'build' as const, id: recordId.account('repocraft', '3-writer') };

let server: ScriptedModelServer;
let ledger: ReturnType<typeof createMemoryLedger>;
const blobs = createMemoryBlobs();

beforeAll(async () => {
  server = await startScriptedModelServer({ rules: { rules: rules(), default: { answer: json(GOOD) } } });
  ledger = createMemoryLedger();
  const limits = { microUsd: null, tokens: null };
  ledger.accounts.set(ACCOUNT.id, { ...ACCOUNT, epoch: 1, limits, exhausted: false });
  ledger.aliveWorkers.add('worker');
});
afterAll(async () => server?.close());

const rules = (): Rule[] =>
  Object.entries(BEHAVIOUR).flatMap(([model, replies]) =>
    replies.map((reply) => ({ match: { purpose: 'describe', model }, times: 1, ...reply })),
  );

const TASK = {
  id: 'shop-basket_total-001',
  project: 'shop',
  description: 'A class for basket total. Expected behaviour: empty.',
  test_code: 'from shoplib import BasketTotal\n\ndef test_empty():\n    assert BasketTotal([]) == 0\n',
  targets: ['shoplib.totals.BasketTotal'],
  imports: [{ module: 'shoplib', name: 'BasketTotal', local: 'BasketTotal', uses: ['shoplib.BasketTotal'] }],
} as unknown as RepocraftTask;

/** Asks as the activity does, with Temporal's part: what may be tried again is. */
async function describedBy(name: string): Promise<Description> {
  const model = createOpenAiModel({ readKey: () => undefined });
  const metered = createMeteredModel({ model, ledger, blobs, worker: 'worker' });
  const spec = campaignSpec({
    suite: 'repocraft',
    systems: [systemSpec({ id: 'build', generator: 'null', model: 'writer' })],
    models: {
      writer: {
        ...{ name, baseUrl: server.url, apiKeyEnv: null, price: { input: 1, output: 2 } },
        ...{
          maxOutputTokens: 4096,
          temperature: null,
          timeoutSeconds: ['slow', 'away'].includes(name) ? TIMEOUT_SECONDS : 300,
        },
      },
    },
  });
  const asker = {
    ...{ account: ACCOUNT, epoch: 1, stage: 'describe', fresh: 0 },
    owner: { kind: 'build' as const, id: recordId.build(ACCOUNT.id, 'shop') },
    ...{ spec, system: spec.systems[0]!, signal: new AbortController().signal },
  };
  const asking = {
    model: name,
    ask: async (step: string, question: Parameters<typeof metered.ask>[1]) =>
      (await metered.ask({ ...asker, step }, question)).answer,
  };
  const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await describeTask(TASK, GIVING_AWAY, { blobs, suiteFolder, asking });
    } catch (error) {
      const isOver = !(error instanceof DomainFailure) || error.final || FAILURE_TABLE[error.type].maxAttempts === 1;
      if (isOver || attempt === 8) throw error;
    }
  }
}

const sends = (model: string): number => server.requests.filter((request) => request.model === model).length;

describe('a model that describes tasks', () => {
  test.each(['honest', 'riddle', 'contradiction', 'telling', 'naming', 'coding', 'terse', 'endless', 'slow', 'busy'])(
    '%s: its own words stand in the end, and are not asked for again',
    async (model) => {
      const description = await describedBy(model);
      expect(description).toMatchObject({ text: GOOD, byRule: null });
      expect(description.prompt).toMatch(/^describe\.v2@[0-9a-f]{8}$/);
      const before = sends(model);
      expect(await describedBy(model)).toEqual(description);
      expect([before, sends(model)]).toEqual(Array(2).fill(BEHAVIOUR[model]!.length + (model === 'honest' ? 0 : 1)));
    },
  );

  test.each([
    ['riddles', 'one JSON object', 2],
    ['contradictions', 'one JSON object', 2],
    ['stubborn', '"shoplib"', 2],
    ['prudish', 'model.content-policy', 1],
  ])('%s: the text made by rule stays, and why is kept', async (model, why, asked) => {
    const { text, byRule } = await describedBy(model);
    expect(text).toBe(TASK.description);
    expect(byRule).toContain(why);
    expect(sends(model)).toBe(asked);
  });

  test('two answers that were lost end it, and nothing is made up', async () => {
    await expect(describedBy('away')).rejects.toMatchObject({ type: 'model.ambiguous', final: true });
    expect(sends('away')).toBe(2);
  });

  test('every call is paid by the account, under its purpose', () => {
    const paid = server.requests.filter(({ status }) => status === 200);
    expect(new Set(paid.map(({ purpose }) => purpose))).toEqual(new Set(['describe']));
    const { settled, reserved } = ledger.sums(ACCOUNT.id);
    const told = paid.reduce(
      (sum, { promptTokens, outputTokens }) => sum + (promptTokens ?? 0) + (outputTokens ?? 0),
      0,
    );
    expect(settled.tokens).toBeGreaterThanOrEqual(told);
    expect(reserved).toEqual({ microUsd: 0, tokens: 0 });
  });
});

describe('what a model may not hand to a system', () => {
  const problem = (text: string) => descriptionProblem(text, TASK, GIVING_AWAY);
  test.each([
    ['the project', `${GOOD} Like Shop-Lib.`],
    ['a name of the reference', `${GOOD} A BasketTotal.`],
    ['a path', `${GOOD} As shoplib.totals has it.`],
    ['code', `${GOOD} \`sum\` does it.`],
    ['a call', `${GOOD} As sum(x) does.`],
    ['a snake', `${GOOD} Sets max_items.`],
    ['a name of the reference in quotation marks', `${GOOD} As "BasketTotal" has it.`],
    ['a comparison', `${GOOD} So that a == b.`],
    ['next to nothing', 'A basket.'],
  ])('%s', (_, text) => expect(problem(text)).toBeDefined());

  test('what a test demands word for word may look like code, in quotation marks', () => {
    expect(problem(`${GOOD} With "max_items" as key it fails with "total() is empty".`)).toBeUndefined();
  });

  test('plain words are fine, whatever their case', () => {
    expect(problem(`${GOOD} It takes value(s) as JSON or NaN, e.g. 1.5, over HTTP/1.1.`)).toBeUndefined();
  });
});
