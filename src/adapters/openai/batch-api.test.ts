import { afterEach, describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../contract/campaign.js';
import type { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { ModelRulesInput } from '../../fakes/model-rules.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../fakes/scripted-model-server.js';
import type { BatchEnd, BatchRequest, ModelAnswer } from '../../ports/model.js';
import { createOpenAiBatchApi } from './batch-api.js';

const running: ScriptedModelServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const KEY = 'sk-test-0123456789abcdef';
const api = createOpenAiBatchApi({ readKey: (name) => (name === 'TEST_KEY' ? KEY : undefined) });
const { signal } = new AbortController();

const request = (text: string): BatchRequest => ({
  customId: `call-${text}`,
  request: {
    messages: [{ role: 'user', content: text }],
    ...{ maxOutputTokens: 40, temperature: 0.5, json: true, parameters: { top_p: 0.9 } },
  },
});

async function bench(rules: ModelRulesInput): Promise<{ server: ScriptedModelServer; spec: ModelSpec }> {
  const server = await startScriptedModelServer({ rules, key: KEY });
  running.push(server);
  const spec = { name: 'scripted', baseUrl: server.url, apiKeyEnv: 'TEST_KEY', price: 'free' as const };
  return { server, spec: { ...spec, maxOutputTokens: 40, temperature: 0.5, timeoutSeconds: 300 } };
}

/** Creates a batch of these texts and reads it to its end. */
async function ended(spec: ModelSpec, texts: string[]): Promise<BatchEnd<DomainFailure>> {
  const id = await api.create(spec, 'ours-1', texts.map(request), signal);
  const { end } = await api.progress(spec, id, signal);
  if (end === null) throw new Error('it is open');
  return end;
}

async function repliesOf(
  spec: ModelSpec,
  end: BatchEnd<DomainFailure>,
): Promise<Record<string, ModelAnswer | DomainFailure>> {
  const replies: Record<string, ModelAnswer | DomainFailure> = {};
  for await (const { customId, reply } of api.replies(spec, end, signal)) replies[customId] = reply;
  return replies;
}

describe('the Batch API of OpenAI', () => {
  it('takes requests as one file, each as a call that is not streamed, and answers by their names', async () => {
    const separators = 'a\u2028b\u0085c';
    const { server, spec } = await bench({
      rules: [{ match: { contains: 'two' }, answer: separators }],
      default: { answer: 'YES', usage: { input: 9, cached: 2, output: 1 } },
    });
    const end = await ended(spec, ['one', 'two']);
    const replies = await repliesOf(spec, end);
    expect(replies['call-one']).toMatchObject({
      ...{ text: 'YES', finishReason: 'stop', usage: { inputTokens: 9, cachedInputTokens: 2, outputTokens: 1 } },
      providerRequestId: 'req-batch_scripted_1-0',
    });
    expect(replies['call-two']).toMatchObject({ text: separators });
    expect(server.batches()).toEqual([
      { id: 'batch_scripted_1', status: 'completed', metadata: { durabench: 'ours-1' }, requests: 2, looks: 1 },
    ]);
    expect(server.requests.map(({ call, stream, parameters }) => ({ call, stream, parameters }))).toEqual(
      ['call-one', 'call-two'].map((call) => ({
        ...{ call, stream: false },
        parameters: {
          ...{ max_completion_tokens: 40, temperature: 0.5, top_p: 0.9 },
          response_format: { type: 'json_object' },
        },
      })),
    );
  });

  it('finds a batch by the id of ours, among those of others and over pages, and none that is not there', async () => {
    const { spec } = await bench({ default: { answer: 'YES' } });
    const ids: string[] = [];
    for (const id of ['a', 'b', 'c']) ids.push(await api.create(spec, id, [request(id)], signal));
    for (let others = 0; others < 120; others += 1) await api.create(spec, `other-${others}`, [request('x')], signal);
    expect(await api.find(spec, 'b', signal)).toBe(ids[1]);
    expect(await api.find(spec, 'd', signal)).toBeNull();
  });

  it('tells what each request failed with as a call of its own would, and what may have been billed', async () => {
    const { spec } = await bench({
      rules: [
        {
          match: { contains: 'long' },
          status: 400,
          error: { message: 'maximum context length', code: 'context_length_exceeded' },
        },
        { match: { contains: 'busy' }, status: 429 },
        { match: { contains: 'broken' }, answer: 'x', malformed: 'no-choices', usage: { input: 3, output: 4 } },
        { match: { contains: 'secret' }, status: 401, error: { message: `Wrong key ${KEY}` } },
        { match: { contains: 'lost' }, cut: 'before-reply' },
      ],
      default: { answer: 'YES' },
    });
    const end = await ended(spec, ['long', 'busy', 'broken', 'secret', 'lost', 'fine']);
    const replies = await repliesOf(spec, end);
    expect(replies).toMatchObject({
      'call-long': { type: 'model.context-length', billing: 'none' },
      'call-busy': { type: 'model.rate-limited', billing: 'none' },
      'call-broken': { type: 'model.bad-answer', usage: { inputTokens: 3, outputTokens: 4 } },
      'call-secret': { type: 'model.unauthorized', billing: 'none' },
      'call-fine': { text: 'YES' },
    });
    expect(Object.keys(replies)).not.toContain('call-lost');
    expect((replies['call-secret'] as DomainFailure).message).not.toContain(KEY);
    expect(end.unanswered).toMatchObject({ type: 'model.ambiguous', billing: 'ambiguous' });
  });

  it('says of an expired batch which requests were answered; the others were not billed', async () => {
    const { spec } = await bench({ default: { answer: 'YES' }, batches: { ends: ['expired'] } });
    const end = await ended(spec, ['one', 'two', 'three']);
    expect(await repliesOf(spec, end)).toMatchObject({
      'call-one': { text: 'YES' },
      'call-two': { text: 'YES' },
      'call-three': { type: 'model.server-error', billing: 'none' },
    });
    expect(end.unanswered).toMatchObject({ type: 'model.server-error', billing: 'none' });
  });

  it('says why a batch was refused as a whole', async () => {
    const { spec } = await bench({ default: { answer: 'YES' }, batches: { ends: ['failed'] } });
    const end = await ended(spec, ['one']);
    expect(await repliesOf(spec, end)).toEqual({});
    expect(end.unanswered).toMatchObject({ type: 'model.bad-request', billing: 'none' });
    expect(end.unanswered.message).toContain('The rules say that it fails.');
  });

  it('cancels: nothing is answered from then on', async () => {
    const { server, spec } = await bench({ default: { answer: 'YES' }, batches: { delayMs: 3_600_000 } });
    const id = await api.create(spec, 'ours', [request('one')], signal);
    expect(await api.progress(spec, id, signal)).toEqual({ answered: 0, isCancelling: false, end: null });
    await api.cancel(spec, id, signal);
    const { end } = await api.progress(spec, id, signal);
    expect(end?.unanswered).toMatchObject({ type: 'model.server-error', billing: 'none' });
    expect(server.batches()).toMatchObject([{ status: 'cancelled' }]);
    expect(server.requests).toHaveLength(0);
  });

  it('takes a batch that the provider no longer has as lost: it may have been billed', async () => {
    const { spec } = await bench({ default: { answer: 'YES' } });
    const { end } = await api.progress(spec, 'batch_unknown', signal);
    expect(end?.unanswered).toMatchObject({ type: 'model.ambiguous', billing: 'ambiguous' });
  });

  it('names a missing key, a wrong one, and an endpoint that is down', async () => {
    const { spec } = await bench({ default: { answer: 'YES' } });
    const failing = async (more: Partial<ModelSpec>): Promise<unknown> =>
      api.create({ ...spec, ...more }, 'ours', [request('one')], signal).catch((error: unknown) => error);
    expect(await failing({ apiKeyEnv: 'ABSENT' })).toMatchObject({ type: 'model.key-missing' });
    expect(await failing({ apiKeyEnv: null })).toMatchObject({ type: 'model.unauthorized', billing: 'none' });
    await running.splice(0)[0]?.close();
    expect(await failing({})).toMatchObject({ type: 'model.unreachable', billing: 'none' });
  });
});
