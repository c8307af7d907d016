import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAiModel } from '../adapters/openai/openai-model.js';
import type { FailureType } from '../contract/failure.js';
import type { CampaignSpec, ModelSpec } from '../contract/campaign.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { createMemoryBlobs } from '../fakes/memory-blobs.js';
import { createMemoryLedger } from '../fakes/memory-ledger.js';
import type { ModelRulesInput } from '../fakes/model-rules.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../fakes/scripted-model-server.js';
import type { Ledger, Settlement } from '../ports/ledger.js';
import type { Asker, ModelAnswer, Question } from '../ports/model.js';
import { createMeteredModel } from './metered-model.js';
import { waitUntil } from '../../tests/fixtures/wait-until.js';

/** However busy the machine is. */

const running: ScriptedModelServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

describe('a metered model', () => {
  it('pays once, and answers the same question from the record afterwards', async () => {
    const { ask, server, ledger, blobs } = await bench({
      default: { answer: 'YES', usage: { input: 100, output: 10 } },
    });
    const first = await ask();
    const second = await ask();
    expect(first.answer).toMatchObject({ text: 'YES', usage: { inputTokens: 100, outputTokens: 10 } });
    expect(second).toEqual({ ...first, answer: { ...first.answer, isReplayed: true } });
    expect(server.requests).toHaveLength(1);
    expect(ledger.sums('c1').settled).toEqual({ microUsd: 100 * 1 + 10 * 2, tokens: 110 });
    expect(first.evidence.map((ref) => ref.name)).toEqual([
      expect.stringMatching(/^prompt-vote-0-\w{8}\.json$/),
      expect.stringMatching(/^completion-vote-0-\w{8}\.json$/),
    ]);
    const [prompt, completion] = await Promise.all(first.evidence.map((ref) => blobs.get(ref.sha256)));
    expect(prompt?.toString()).toContain('Is it so?');
    expect(completion?.toString()).toContain('YES');
    expect(first.evidence[0]?.sizeBytes).toBe(prompt?.length);
  });

  it('asks again for another ordinal, prompt version, model name or step; not for another endpoint or epoch', async () => {
    const { ask, server, asker } = await bench({ default: { answer: 'YES' } });
    await ask();
    await ask({ ordinal: 1 });
    await ask({ prompt: 'vote@2' });
    await ask({ model: 'other' });
    await ask({}, { step: 'match-2' });
    expect(server.requests).toHaveLength(5);
    const models = structuredClone(asker.spec.models);
    models['small']!.baseUrl = `${server.url}/`;
    models['small']!.timeoutSeconds = 99;
    await ask({}, { spec: { ...asker.spec, models } });
    expect(server.requests).toHaveLength(5);
  });

  describe('that is asked through a Batch API', () => {
    async function batched(limits?: { microUsd: number | null; tokens: number | null }) {
      const parts = await bench({ default: { answer: 'at once' } }, limits);
      const { ledger, asker, ask } = parts;
      const spec = withModel(asker.spec, { batchApi: { priceFactor: 0.5, collectSeconds: 60 } });
      const inBatch = (other: Partial<Asker> = {}, more: Partial<Question> = {}) => ask(more, { spec, ...other });
      /** The key of the one call, which is found by what it was reserved with. */
      const settleWith = async (end: (key: string) => Promise<unknown>) => {
        const [key] = ledger.keys('c1');
        await end(key!);
      };
      return { ...parts, inBatch, settleWith };
    }

    it('reserves at its price, sends nothing, and is asked for again, later and later', async () => {
      const { ask, inBatch, server, ledger } = await batched();
      await expect(inBatch()).rejects.toMatchObject({ type: 'model.batched', retryAfterMs: 5_000 });
      await expect(inBatch()).rejects.toMatchObject({ type: 'model.batched' });
      expect(server.requests).toHaveLength(0);
      const { reserved } = ledger.sums('c1');
      await ask({ ordinal: 1, maxOutputTokens: 1_000 });
      const { microUsd: whole } = ledger.sums('c1').settled;
      expect(whole).toBeLessThan(reserved.microUsd);
      await expect(inBatch({}, { ordinal: 2, isUrgent: true })).resolves.toMatchObject({
        answer: { text: 'at once' },
      });
    });

    it('tells a failure of its batch once where another try may help, and in every attempt of a run where none does', async () => {
      const { inBatch, settleWith, ledger } = await batched();
      const refuse = (type: FailureType, attempt: number) =>
        settleWith(async (key) => {
          const failure = new DomainFailure(type, { message: 'no', fix: 'wait' }).toFailure();
          await ledger.noteRefusal(key, attempt, failure);
          await ledger.release(key, attempt, 'no');
        });
      const failed = (type: FailureType) => ({ type, problem: { message: 'no', fix: 'wait' } });
      await expect(inBatch()).rejects.toMatchObject({ type: 'model.batched' });
      await refuse('model.server-error', 1);
      await expect(inBatch()).rejects.toMatchObject(failed('model.server-error'));
      await expect(inBatch()).rejects.toMatchObject({ type: 'model.batched' });
      await refuse('model.bad-request', 2);
      await expect(inBatch()).rejects.toMatchObject(failed('model.bad-request'));
      await expect(inBatch()).rejects.toMatchObject(failed('model.bad-request'));
      await expect(inBatch({ run: 2 })).rejects.toMatchObject({ type: 'model.batched' });
    });

    it('waits for what was sent in a batch also where the campaign asks at once by now', async () => {
      const { ask, inBatch, server } = await batched();
      await expect(inBatch()).rejects.toMatchObject({ type: 'model.batched' });
      await expect(ask()).rejects.toMatchObject({ type: 'model.batched' });
      expect(server.requests).toHaveLength(0);
    });

    it('gives up after two batches that may have been billed and brought nothing', async () => {
      const { inBatch, settleWith, ledger } = await batched();
      for (const attempt of [1, 2]) {
        await expect(inBatch()).rejects.toMatchObject({ type: 'model.batched' });
        await settleWith((key) => ledger.markAmbiguous(key, attempt, 'lost'));
      }
      await expect(inBatch()).rejects.toMatchObject({ type: 'model.ambiguous', final: true });
    });

    it('counts no answer of a batch as replayed', async () => {
      const { inBatch, settleWith, ledger, blobs } = await batched();
      await expect(inBatch()).rejects.toMatchObject({ type: 'model.batched' });
      const text = JSON.stringify({ text: 'from the batch', finishReason: 'stop', usage: null });
      const responseRef = await blobs.put(text, { name: 'completion.json', mediaType: 'application/json' });
      const bill = { actual: { microUsd: 1, tokens: 1 }, providerRequestId: null, usageReported: true };
      await settleWith((key) => ledger.settle(key, 1, { ...bill, responseRef }));
      expect((await inBatch()).answer.text).toBe('from the batch');
      expect(ledger.replayedCalls('c1')).toBe(0);
    });
  });

  describe('of a campaign that takes answers of others over', () => {
    /** Asks for one campaign or another, repeat 1 unless said. */
    async function campaigns() {
      const parts = await bench({ default: { answer: 'YES', usage: { input: 100, output: 10 } } });
      const { ledger, asker, ask } = parts;
      ledger.accounts.set('c2', { ...ledger.accounts.get('c1')!, id: 'c2' });
      const askFor = (id: string, other: Partial<Asker> = {}, more: Partial<Question> = {}) =>
        ask(more, {
          ...{ account: { kind: 'campaign', id }, owner: { kind: 'trial', id: `${id}/t/sys/1` }, repeat: 1 },
          ...{ spec: id === 'c1' ? asker.spec : { ...asker.spec, reuseAnswers: true } },
          ...other,
        });
      return { ...parts, askFor };
    }
    const nothing = { microUsd: 0, tokens: 0 };

    it('answers from the record of another one at no cost, and counts what that saved', async () => {
      const { askFor, server, ledger, blobs } = await campaigns();
      await askFor('c1');
      const taken = await askFor('c2');
      expect(taken.answer).toMatchObject({ text: 'YES', usage: { inputTokens: 100, outputTokens: 10 } });
      expect(server.requests).toHaveLength(1);
      expect(ledger.sums('c2')).toEqual({ reserved: nothing, settled: nothing });
      expect(ledger.reusedCalls('c2')).toEqual({ calls: 1, saved: { microUsd: 100 + 10 * 2, tokens: 110 } });
      expect(ledger.reusedCalls('c1').calls).toBe(0);
      expect(taken.evidence.map(({ name }) => name)).toEqual([
        expect.stringMatching(/^prompt-vote-0-\w{8}\.json$/),
        expect.stringMatching(/^completion-vote-0-\w{8}\.json$/),
      ]);
      for (const { sha256 } of taken.evidence) expect((await blobs.get(sha256)).length).toBeGreaterThan(0);
      // From then on it is its own, whoever asks again.
      expect((await askFor('c2')).answer).toMatchObject({ text: 'YES', isReplayed: true });
      expect(ledger.reusedCalls('c2').calls).toBe(1);
    });

    it('asks where the file does not say so, for fresh samples, and where the other answer is of another repeat', async () => {
      const { askFor, asker, server } = await campaigns();
      await askFor('c1');
      await askFor('c2', { spec: asker.spec });
      await askFor('c2', { fresh: 2 });
      await askFor('c2', { repeat: 2, owner: { kind: 'trial', id: 'c2/t/sys/2' } });
      expect(server.requests).toHaveLength(4);
    });

    it.each<[string, Partial<Question>, Partial<ModelSpec>]>([
      ['another text', { messages: [{ role: 'user', content: 'Is it not so?' }] }, {}],
      ['another prompt version', { prompt: 'vote@2' }, {}],
      ['another purpose', { purpose: 'adapt', model: 'small' }, {}],
      ['another ordinal', { ordinal: 1 }, {}],
      ['another sample', { sample: 2 }, {}],
      ['another cap', { maxOutputTokens: 7 }, {}],
      ['a body', { messages: [], body: { messages: [{ role: 'user', content: 'Is it so?' }] } }, {}],
      ['another model', {}, { name: 'other' }],
      ['another temperature', {}, { temperature: 1 }],
      ['other parameters', {}, { parameters: { top_k: 4 } }],
      ['another endpoint', {}, { baseUrl: 'elsewhere' }],
      ['another price', {}, { price: { input: 2, output: 5 } }],
    ])('asks where the question differs: %s', async (_, more, model) => {
      const { askFor, asker, server } = await campaigns();
      await askFor('c1');
      const elsewhere = model.baseUrl === undefined ? {} : { baseUrl: `${server.url}/` };
      const spec = withModel(asker.spec, { ...model, ...elsewhere });
      await askFor('c2', { spec: { ...spec, reuseAnswers: true } }, more);
      expect(server.requests).toHaveLength(2);
    });

    it('gives one answer to one of two trials that ask at once; the other one is asked', async () => {
      const { askFor, server, ledger } = await campaigns();
      await askFor('c1');
      const both = ['t', 'u'].map((task) => askFor('c2', { owner: { kind: 'trial', id: `c2/${task}/sys/1` } }));
      for (const { answer } of await Promise.all(both)) expect(answer.text).toBe('YES');
      expect(server.requests).toHaveLength(2);
      expect(ledger.reusedCalls('c2').calls).toBe(1);
    });

    it('takes no answer that is under way or was lost, and asks where the stored one is gone', async () => {
      const lost = await bench({ default: { answer: 'never', cut: 'before-reply' } });
      const other = { account: { kind: 'campaign' as const, id: 'c2' }, repeat: 1 };
      lost.ledger.accounts.set('c2', { ...lost.ledger.accounts.get('c1')!, id: 'c2' });
      await expect(lost.ask({}, { repeat: 1 })).rejects.toMatchObject({ type: 'model.ambiguous' });
      const spec = { ...lost.asker.spec, reuseAnswers: true as const };
      await expect(lost.ask({}, { ...other, owner: { kind: 'trial', id: 'c2/t/sys/1' }, spec })).rejects.toMatchObject({
        type: 'model.ambiguous',
      });
      expect(lost.server.requests).toHaveLength(2);

      const { askFor, server, blobs } = await campaigns();
      await askFor('c1');
      blobs.get = () => Promise.reject(new DomainFailure('blobs.missing', 'cleaned up'));
      expect((await askFor('c2')).answer.text).toBe('YES');
      expect(server.requests).toHaveLength(2);
    });

    it('takes nothing over once another server has the campaign', async () => {
      const { askFor, server } = await campaigns();
      await askFor('c1');
      await expect(askFor('c2', { epoch: 0 })).rejects.toMatchObject({ type: 'operator.superseded' });
      expect(server.requests).toHaveLength(1);
    });
  });

  it('routes by question, then purpose, then system', async () => {
    const { ask, server, asker } = await bench({ default: { answer: 'ok' } });
    await ask({ purpose: 'adapt' });
    await ask({ purpose: 'codegen' });
    await ask({ purpose: 'adapt', model: 'small' });
    expect(server.requests.map((seen) => seen.model)).toEqual(['other-name', 'small-name', 'small-name']);
    const lost = ask({}, { system: { ...asker.system, model: null, purposes: {} } });
    await expect(lost).rejects.toMatchObject({ type: 'harness.bug' });
  });

  it('lets everybody in this process join a call in flight, and survives the first one leaving', async () => {
    const { ask, server, answerNow } = await heldBench();
    const first = new AbortController();
    const asked = ask({}, { signal: first.signal });
    const others = [ask(), ask(), ask()];
    await waitUntil(() => server.requests.length === 1);
    first.abort(new Error('attempt 1 timed out'));
    await expect(asked).rejects.toThrow('attempt 1 timed out');
    answerNow();
    for (const { answer } of await Promise.all(others)) expect(answer.text).toBe('slow');
    expect(server.requests).toHaveLength(1);
  });

  it('stops the request when the last one left, and settles it as ambiguous before it goes on', async () => {
    const { ask, server, ledger } = await heldBench();
    const only = new AbortController();
    const asked = ask({}, { signal: only.signal });
    await waitUntil(() => server.requests.length === 1);
    only.abort(new Error('cancelled'));
    await expect(asked).rejects.toMatchObject({ type: 'model.ambiguous' });
    expect(ledger.sums('c1').reserved.microUsd).toBe(0);
    expect(ledger.sums('c1').settled.microUsd).toBeGreaterThan(0);
  });

  it('waits for another live worker, and says when to look again', async () => {
    const { ask, askAs, server, answerNow } = await heldBench();
    const asked = ask();
    await waitUntil(() => server.requests.length === 1);
    await expect(askAs('worker-2')).rejects.toMatchObject({ type: 'call.in-flight', retryAfterMs: 2_000 });
    answerNow();
    await asked;
    expect((await askAs('worker-2')).answer.text).toBe('slow');
    expect(server.requests).toHaveLength(1);
  });

  it('releases what was not billed, passes on Retry-After and succeeds on the next attempt', async () => {
    const { ask, server, ledger } = await bench({
      rules: [{ match: { attempt: 1 }, status: 429, headers: { 'retry-after': '3' } }],
      default: { answer: 'ok', usage: { input: 10, output: 1 } },
    });
    await expect(ask()).rejects.toMatchObject({ type: 'model.rate-limited', retryAfterMs: 3_000 });
    expect(ledger.sums('c1')).toEqual({ reserved: { microUsd: 0, tokens: 0 }, settled: { microUsd: 0, tokens: 0 } });
    expect((await ask()).answer.text).toBe('ok');
    expect(server.requests).toHaveLength(2);
    expect(await ledger.repeatedCalls({ kind: 'campaign', id: 'c1' })).toBe(0);
  });

  it('sends a second time after one cut reply, and charges the estimate for it', async () => {
    const { ask, ledger } = await bench({
      rules: [{ match: { attempt: 1 }, answer: 'lost', cut: { afterBytes: 20 } }],
      default: { answer: 'ok', usage: { input: 10, output: 1 } },
    });
    await expect(ask()).rejects.toMatchObject({ type: 'model.ambiguous', final: false });
    const estimate = ledger.sums('c1').settled.microUsd;
    expect(estimate).toBeGreaterThan(1_000 * 2);
    expect((await ask()).answer.text).toBe('ok');
    expect(ledger.sums('c1').settled.microUsd).toBe(estimate + 12);
    expect(await ledger.repeatedCalls({ kind: 'campaign', id: 'c1' })).toBe(1);
  });

  describe('whose provider keeps answers', () => {
    const cutOnce = {
      match: { attempt: 1 },
      answer: 'kept',
      cut: { afterBytes: 300 },
      usage: { input: 10, output: 9 },
    };

    it('fetches the answer of a cut reply, pays it once, and counts it apart', async () => {
      const { stored, server, ledger } = await bench({ rules: [cutOnce], default: { answer: 'paid twice' } });
      await expect(stored()).rejects.toMatchObject({ type: 'model.ambiguous', final: false });
      expect((await stored()).answer).toMatchObject({ text: 'kept', usage: { inputTokens: 10, outputTokens: 9 } });
      expect((await stored()).answer.text).toBe('kept');
      expect(server.requests).toHaveLength(1);
      expect(ledger.sums('c1').settled).toEqual({ microUsd: 10 + 9 * 2, tokens: 19 });
      expect(await ledger.repeatedCalls({ kind: 'campaign', id: 'c1' })).toBe(0);
      expect(ledger.recoveredCalls('c1')).toBe(1);
    });

    it('does so also where a lost answer may not be asked again', async () => {
      const { stored, server, asker } = await bench({ rules: [cutOnce], default: { answer: 'paid twice' } });
      const fail = { spec: { ...asker.spec, budget: { ...asker.spec.budget, onAmbiguous: 'fail' as const } } };
      await expect(stored(fail)).rejects.toMatchObject({ type: 'model.ambiguous', final: false });
      expect((await stored(fail)).answer.text).toBe('kept');
      expect(server.requests).toHaveLength(1);
    });

    it('fetches what a dead worker had begun to receive', async () => {
      const { stored, server, ledger } = await bench({ default: { answer: 'kept', cut: { afterBytes: 300 } } });
      await expect(stored({}, 'worker-1', { markAmbiguous: dead })).rejects.toThrow('dead');
      ledger.aliveWorkers.delete('worker-1');
      expect((await stored({}, 'worker-2')).answer.text).toBe('kept');
      expect(server.requests).toHaveLength(1);
    });

    it('waits while the answer may still be in the making', async () => {
      // Cut after a second, finished after five.
      const slow = { ...cutOnce, chunkDelayMs: 1_000 };
      const { stored, server } = await bench(
        { rules: [slow], default: { answer: 'paid twice' } },
        undefined,
        () => ({}),
        600_000,
      );
      await expect(stored()).rejects.toMatchObject({ type: 'model.ambiguous' });
      await expect(stored()).rejects.toMatchObject({ type: 'call.in-flight', retryAfterMs: 2_000 });
      const text = (): Promise<string> =>
        stored().then(
          ({ answer }) => answer.text,
          () => 'not yet',
        );
      expect(await waitUntil(async () => (await text()) === 'kept')).toBe(true);
      expect(server.requests).toHaveLength(1);
    });

    it('sends a second time where the provider has nothing after all, and then gives up as ever', async () => {
      const { stored, server, ledger } = await bench({
        default: { answer: 'lost', kept: false, cut: { afterBytes: 300 } },
      });
      await expect(stored()).rejects.toMatchObject({ type: 'model.ambiguous', final: false });
      await expect(stored()).rejects.toMatchObject({ type: 'model.ambiguous', final: false });
      await expect(stored()).rejects.toMatchObject({ type: 'model.ambiguous', final: true });
      expect(server.requests).toHaveLength(2);
      expect(server.lookUps).toHaveLength(1 + 2);
      expect(await ledger.repeatedCalls({ kind: 'campaign', id: 'c1' })).toBe(1);
      expect(ledger.recoveredCalls('c1')).toBe(0);
    });

    it('is not kept from its answer by a store that cannot note the id', async () => {
      const { stored, server } = await bench({ default: { answer: 'whole' } }, undefined, () => ({
        noteCompletion: () => Promise.reject(new DomainFailure('records.unavailable', 'restarting')),
      }));
      expect((await stored()).answer.text).toBe('whole');
      expect(server.requests).toHaveLength(1);
    });
  });

  it('gives up after two ambiguous sends, finally', async () => {
    const { ask, server } = await bench({ default: { answer: 'lost', cut: 'before-reply' } });
    await expect(ask()).rejects.toMatchObject({ type: 'model.ambiguous', final: false });
    await expect(ask()).rejects.toMatchObject({ type: 'model.ambiguous', final: true });
    // What is said can be done: only fresh answers help, `retry --errored` finds the same two sends.
    await expect(ask()).rejects.toThrow(/no further one is sent[^]*\nfix: .*retry ID --trial TRIAL --fresh/);
    expect(server.requests).toHaveLength(2);
  });

  it('sends for a shared candidate that was begun again as often as before', async () => {
    const { ask, server } = await bench({
      rules: [{ match: { nth: 4 }, answer: 'there' }],
      default: { answer: 'lost', cut: 'before-reply' },
    });
    const owner = { kind: 'generation', id: 'g' } as const;
    for (const final of [false, true]) await expect(ask({}, { owner })).rejects.toMatchObject({ final });
    await expect(ask({}, { owner })).rejects.toThrow(/no further one is sent[^]*\nfix: .*durabench retry ID /);
    await expect(ask({}, { owner, run: 2 })).rejects.toMatchObject({ type: 'model.ambiguous', final: false });
    expect((await ask({}, { owner, run: 2 })).answer.text).toBe('there');
    expect(server.requests).toHaveLength(4);
  });

  it('charges an unusable answer what the provider counted, and tries again', async () => {
    const { ask, ledger } = await bench({
      rules: [{ match: { attempt: 1 }, answer: 'x', malformed: 'no-choices', usage: { input: 7, output: 3 } }],
      default: { answer: 'ok', usage: { input: 10, output: 1 } },
    });
    await expect(ask()).rejects.toMatchObject({ type: 'model.bad-answer' });
    expect(ledger.sums('c1').settled).toEqual({ microUsd: 7 + 6, tokens: 10 });
    expect((await ask()).answer.text).toBe('ok');
  });

  it.each([
    ['an output above the cap', { output: 900_000_000 }],
    ['an input that was not sent', { input: 900_000_000 }],
    ['a negative count', { output: -1 }],
    ['no count', { input: 'NaN' }],
    ['more cached than read', { cached: 70_000 }],
    ['more thinking than output', { reasoning: 70_000 }],
  ])('settles %s at what was reserved, keeps what was claimed, and goes on', async (_, usage) => {
    const bills: Settlement[] = [];
    const settle: (ledger: Ledger) => Partial<Ledger> = (ledger) => ({
      settle: (key, attempt, bill) => ledger.settle(key, attempt, (bills.push(bill), bill)),
    });
    const limits = { microUsd: 50_000_000, tokens: null };
    const { ask, ledger, blobs } = await bench({ default: { answer: 'YES', usage } }, limits, settle);
    const { answer, evidence } = await ask({ maxOutputTokens: 300 });
    expect(answer).toMatchObject({ text: 'YES', usage: null });
    const { tokens } = ledger.sums('c1').settled;
    expect(tokens).toBeGreaterThan(300);
    expect(tokens).toBeLessThan(400);
    const [[name, claim] = []] = Object.entries(usage);
    const named = { input: 'prompt_tokens', output: 'completion_tokens' }[name ?? ''];
    const kept = JSON.parse((await blobs.get(evidence[1]?.sha256 ?? '')).toString('utf8')) as ModelAnswer;
    expect(bills[0]).toMatchObject({ usageReported: false, implausible: { claimed: kept.claimedUsage } });
    if (named !== undefined && typeof claim === 'number') expect(kept.claimedUsage).toMatchObject({ [named]: claim });
    expect((await ask({ ordinal: 2 })).answer.text).toBe('YES');
  });

  it('settles what is above the estimate, and can be, at its price', async () => {
    const { ask, ledger } = await bench({ default: { answer: 'YES', usage: { input: 4_000, output: 330 } } });
    await ask({ maxOutputTokens: 300 });
    expect(ledger.sums('c1').settled.tokens).toBe(4_330);
  });

  it('asks once more with the model’s own cap what was cut at the question’s, and reserves as much', async () => {
    const rules: ModelRulesInput = { endpoint: { reasoningTokens: 640 }, default: { answer: 'YES' } };
    const { ask, asker, server, ledger } = await bench(rules);
    const spec = withModel(asker.spec, { maxOutputTokens: 4_000 });
    const twice = await ask({ maxOutputTokens: 300 }, { spec });
    expect(twice.answer).toMatchObject({ text: 'YES', finishReason: 'stop' });
    expect(twice.evidence).toHaveLength(4);
    expect(server.requests.map(({ parameters }) => parameters.max_tokens)).toEqual([300, 4_000]);
    expect((await ask({ maxOutputTokens: 300 }, { spec })).answer).toEqual({ ...twice.answer, isReplayed: true });
    expect(server.requests).toHaveLength(2);
    const roomy = withModel(asker.spec, { maxOutputTokens: 4_000, reasoningTokens: 700 });
    await ask({ maxOutputTokens: 300, ordinal: 3 }, { spec: roomy });
    expect(server.requests.map(({ parameters }) => parameters.max_tokens)).toEqual([300, 4_000, 1_000]);
    // What is cut at the model's own cap is handed on as it is.
    const narrow = withModel(asker.spec, { maxOutputTokens: 500 });
    expect((await ask({ ordinal: 5 }, { spec: narrow })).answer).toMatchObject({ text: '', finishReason: 'length' });
    expect(server.requests).toHaveLength(4);
    ledger.accounts.get('c1')!.limits = { microUsd: ledger.sums('c1').settled.microUsd + 2_000, tokens: null };
    await expect(ask({ maxOutputTokens: 300, ordinal: 7 }, { spec })).rejects.toMatchObject({
      type: 'budget.exhausted',
    });
    expect(server.requests).toHaveLength(5);
  });

  it('sends what the file gives the model, as another call, and finds a call from before such settings', async () => {
    const { ask, asker, server } = await bench({ default: { answer: 'ok' } });
    await ask();
    const parameters = { reasoning_effort: 'low', top_p: 0.5, seed: 7, top_k: 40 };
    const spec = withModel(asker.spec, { parameters });
    await ask({}, { spec });
    expect(server.requests.map((seen) => seen.parameters.top_k)).toEqual([undefined, 40]);
    expect(server.requests[1]?.parameters).toMatchObject(parameters);
    await ask();
    expect(server.requests).toHaveLength(2);
  });

  it('asks anew for another sample, and finds each of them', async () => {
    const { ask, server } = await bench({
      rules: [{ match: { nth: 2 }, answer: 'second' }],
      default: { answer: 'first' },
    });
    for (const [sample, text] of [
      [1, 'first'],
      [2, 'second'],
      [1, 'first'],
      [2, 'second'],
    ] as const)
      expect((await ask({ sample })).answer.text).toBe(text);
    expect(server.requests).toHaveLength(2);
  });

  it('settles an answer without usage at the estimate, and keeps an empty one', async () => {
    const { ask, ledger } = await bench({ default: { answer: '', usage: 'none' } });
    expect((await ask()).answer).toMatchObject({ text: '', usage: null });
    expect(ledger.sums('c1').settled.tokens).toBeGreaterThan(1_000);
    expect((await ask()).answer).toMatchObject({ text: '', usage: null });
  });

  it('says what is spent, what is left and what the refused call may cost, and how to go on', async () => {
    const { ask } = await bench({ default: { answer: 'ok' } }, { microUsd: 900, tokens: 50_000 });
    await ask({ maxOutputTokens: 20 });
    const refused = await ask({ maxOutputTokens: 1_000_000, ordinal: 2 }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      type: 'budget.exhausted',
      problem: {
        message: expect.stringMatching(
          /^The budget of the campaign does not allow another model call: \$0\.0\d+ and \d+ tokens spent, \$0\.00 and 0 tokens reserved by calls under way, \$0\.0\d+ of \$0\.0009 left, [\d,]+ tokens of 50,000 tokens left; this call may cost \$0\.\d+ and [\d,]+ tokens\.$/,
        ) as string,
        fix: 'durabench budget c1 --usd N, then durabench resume c1; a lower max_output_tokens of model small makes calls cheaper',
      },
    });
  });

  it('never passes the output cap of the model, and reserves with it', async () => {
    const { ask, ledger } = await bench({ default: { answer: 'ok' } }, { microUsd: 500, tokens: null });
    await expect(ask({ maxOutputTokens: 1_000_000 })).rejects.toMatchObject({ type: 'budget.exhausted' });
    expect((await ask({ maxOutputTokens: 20 })).answer.text).toBe('ok');
    expect(ledger.sums('c1').settled.microUsd).toBeLessThan(500);
  });

  it('gives up after the first ambiguous send where the campaign says on_ambiguous: fail', async () => {
    const { ask, asker, server } = await bench({ default: { answer: 'never', cut: 'before-reply' } });
    const budget = { ...asker.spec.budget, onAmbiguous: 'fail' as const };
    const failing = (): Promise<unknown> => ask({}, { spec: { ...asker.spec, budget } });
    await expect(failing()).rejects.toMatchObject({ type: 'model.ambiguous', final: true });
    await expect(failing()).rejects.toMatchObject({ type: 'model.ambiguous', final: true });
    expect(server.requests).toHaveLength(1);
  });

  it('asks anew for a run that wants fresh samples, once, and keeps the first answer for the others', async () => {
    const { ask, server } = await bench({
      rules: [{ match: { nth: 1 }, answer: 'first' }],
      default: { answer: 'fresh' },
    });
    const texts = [];
    for (const fresh of [0, 2, 2, 0]) texts.push((await ask({}, { fresh })).answer.text);
    expect(texts).toEqual(['first', 'fresh', 'fresh', 'first']);
    expect(server.requests).toHaveLength(2);
  });

  it('refuses a stale epoch before anything is sent', async () => {
    const { ask, server } = await bench({ default: { answer: 'ok' } });
    await expect(ask({}, { epoch: 0 })).rejects.toMatchObject({ type: 'operator.superseded' });
    expect(server.requests).toHaveLength(0);
  });

  it('keeps an answer it paid for while the records are unavailable', async () => {
    let away = 3;
    const { ask, server } = await bench({ default: { answer: 'kept' } }, undefined, (ledger) => ({
      settle: async (key, attempt, answer) => {
        if (away-- > 0) throw new DomainFailure('records.unavailable', 'restarting');
        return ledger.settle(key, attempt, answer);
      },
    }));
    expect((await ask()).answer.text).toBe('kept');
    expect(server.requests).toHaveLength(1);
  });
});

const dead = (): Promise<never> => Promise.reject(new Error('dead'));

async function bench(
  rules: ModelRulesInput,
  limits: { microUsd: number | null; tokens: number | null } = { microUsd: null, tokens: null },
  change: (ledger: Ledger) => Partial<Ledger> = () => ({}),
  mayComeMs = 0,
  onRequest?: () => Promise<void>,
) {
  const server = await startScriptedModelServer({ rules, ...(onRequest && { onRequest }) });
  running.push(server);
  const ledger = createMemoryLedger();
  ledger.accounts.set('c1', { kind: 'campaign', id: 'c1', epoch: 1, limits, exhausted: false });
  ledger.aliveWorkers.add('worker-1').add('worker-2');
  const blobs = createMemoryBlobs();
  const model = createOpenAiModel({ readKey: () => undefined });
  const asker = askerOf(server.url);
  const metered = (worker: string, more: Partial<Ledger> = {}) =>
    createMeteredModel({ model, ledger: { ...ledger, ...change(ledger), ...more }, blobs, worker, mayComeMs });
  const mine = metered('worker-1');
  const ask = (more: Partial<Question> = {}, other: Partial<Asker> = {}) =>
    mine.ask({ ...asker, ...other }, { ...question, ...more });
  const stored = (other: Partial<Asker> = {}, worker = 'worker-1', more: Partial<Ledger> = {}) => {
    const models = { small: { ...asker.spec.models['small']!, stored: true as const } };
    const spec = { ...(other.spec ?? asker.spec), models };
    return metered(worker, more).ask({ ...asker, ...other, spec }, question);
  };
  return { server, ledger, blobs, asker, ask, stored, askAs: (worker: string) => metered(worker).ask(asker, question) };
}

/** One whose provider answers only when it is told to. */
async function heldBench() {
  let answerNow = (): void => undefined;
  const told = new Promise<void>((resolve) => (answerNow = resolve));
  const parts = await bench({ default: { answer: 'slow' } }, undefined, undefined, 0, () => told);
  return { ...parts, answerNow };
}

/** The campaign with its model changed. */
function withModel<Spec extends Asker['spec']>(spec: Spec, more: Partial<ModelSpec>): Spec {
  return { ...spec, models: { small: { ...spec.models['small']!, ...more } } };
}

const question: Question = {
  purpose: 'vote',
  ordinal: 0,
  prompt: 'vote@1',
  messages: [{ role: 'user', content: 'Is it so?' }],
};

function askerOf(baseUrl: string): Asker {
  const small = {
    name: 'small-name',
    baseUrl,
    apiKeyEnv: null,
    price: { input: 1, output: 2 },
    maxOutputTokens: 1_000,
    temperature: 0,
    timeoutSeconds: 300,
  };
  const system = {
    id: 'sys',
    generator: 'single-prompt',
    model: 'small',
    purposes: { adapt: 'other' },
    path: null,
    snapshot: null,
    vote: null,
    options: {},
  };
  const spec: CampaignSpec = {
    ...{ name: 'c1', suite: 'echo', dataset: {}, judge: {}, repeats: 1, seed: 1 },
    models: { small, other: { ...small, name: 'other-name' } },
    systems: [system],
    budget: { usd: null, tokens: null },
    concurrency: { batches: 1, trials: 1, model: 1, sandbox: 1 },
  };
  return {
    ...{
      account: { kind: 'campaign' as const, id: 'c1' },
      epoch: 1,
      stage: 'vote',
      step: 'match-1',
      fresh: 0,
      spec,
      system,
    },
    owner: { kind: 'trial', id: 'c1/t/sys/1' },
    signal: new AbortController().signal,
  };
}
