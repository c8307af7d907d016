import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAiModel } from '../adapters/openai/openai-model.js';
import type { CampaignSpec } from '../contract/campaign.js';
import { createMemoryBlobs } from '../fakes/memory-blobs.js';
import { createMemoryLedger } from '../fakes/memory-ledger.js';
import type { ModelRulesInput } from '../fakes/model-rules.js';
import { startScriptedModelServer } from '../fakes/scripted-model-server.js';
import { createMeteredModel } from '../ledger/metered-model.js';
import type { Asker } from '../ports/model.js';
import { createMeteredEndpoint } from './metered-endpoint.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const TOOLS: OpenAI.Chat.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'bash', parameters: { type: 'object', properties: {} } } },
];
const RULES: ModelRulesInput = {
  rules: [
    { match: { turn: 1, tool: 'bash' }, toolCall: { name: 'bash', arguments: '{"command":"ls"}' } },
    { match: { turn: 2, regex: '(\\w+)\\.py' }, template: 'There is {{1}}.' },
    { match: { contains: 'refuse' }, refusal: 'I will not.' },
    { match: { contains: 'broken tools' }, status: 400, error: { message: 'tools[0].name is missing' } },
    { match: { contains: 'long' }, status: 400, error: { message: 'maximum context length', code: 'context_length' } },
    { match: { contains: 'busy', attempt: 1 }, status: 429, headers: { 'retry-after': '0.05' } },
    { match: { contains: 'key' }, status: 401 },
  ],
  default: { answer: 'plain', usage: { input: 100, output: 10 } },
};

describe('a metered endpoint', () => {
  it('answers as an OpenAI endpoint does: texts, tools and what they returned, streams, refusals, models', async () => {
    const { client, seen } = await bench();
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['agent-model']);
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: 'what is here?' }];
    const first = await client.chat.completions.create({ model: 'agent-model', messages, tools: TOOLS });
    const [choice] = first.choices;
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { role: 'assistant', content: null } });
    const [call] = choice?.message.tool_calls ?? [];
    expect(call).toMatchObject({ type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } });
    expect(call).not.toHaveProperty('index');
    const next = [...messages, choice!.message, { role: 'tool' as const, tool_call_id: call!.id, content: 'a.py' }];
    const second = await client.chat.completions.create({ model: 'agent-model', messages: next, tools: TOOLS });
    expect(second.choices[0]?.message.content).toBe('There is a.');
    expect(seen()[1]?.parameters).toMatchObject({ tools: TOOLS, stream: true, max_tokens: 1_000 });
    const refused = await client.chat.completions.create(asking('refuse'));
    expect(refused.choices[0]?.message).toMatchObject({ refusal: 'I will not.', content: null });
  });

  it('streams to who asks for a stream, tool calls and usage included', async () => {
    const { client } = await bench();
    const stream = client.chat.completions.stream({
      model: 'agent-model',
      messages: [{ role: 'user', content: 'what is here?' }],
      tools: TOOLS,
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'bash' } });
    expect(final.usage?.total_tokens).toBeGreaterThan(0);
  });

  it('pays each question once: a program begun anew is answered from the record while it asks the same', async () => {
    const { open, seen, ledger } = await bench();
    const program = async (client: OpenAI): Promise<unknown[]> => [
      await client.chat.completions.create(asking('one')),
      await client.chat.completions.create(asking('one')),
      await client.chat.completions.create({ ...asking('two'), max_tokens: 50 }),
    ];
    const first = await open();
    const answers = await program(first.client);
    expect(seen()).toHaveLength(3);
    const paid = ledger.sums('c1').settled;
    const again = await open();
    expect(await program(again.client)).toEqual(answers);
    expect([first.endpoint.counts(), again.endpoint.counts()]).toEqual([
      { asked: 3, replayed: 0, refused: 0 },
      { asked: 0, replayed: 3, refused: 0 },
    ]);
    expect(seen()).toHaveLength(3);
    expect(ledger.sums('c1').settled).toEqual(paid);
    expect(ledger.replayedCalls('c1')).toBe(3);
  });

  it('says what it does not serve', async () => {
    const { client, url } = await bench();
    const statusOf = async (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        () => 'answered',
        (error: { status: number; message: string }) => error.message,
      );
    expect(await statusOf(client.chat.completions.create({ ...asking('x'), model: 'gpt-9' }))).toBe(
      '404 Model gpt-9 is not served. agent-model is.',
    );
    expect(await statusOf(client.chat.completions.create({ ...asking('x'), n: 3 }))).toMatch(/^400 n: several choices/);
    expect(await statusOf(client.chat.completions.create({ model: 'agent-model', messages: [] }))).toMatch(/^400/);
    expect(await statusOf(client.embeddings.create({ model: 'agent-model', input: 'x' }))).toBe(
      '404 POST /v1/embeddings is not served. POST /v1/chat/completions and GET /v1/models are.',
    );
    const posted = await fetch(`${url}/chat/completions`, { method: 'POST', body: '{"model":' });
    expect([posted.status, await posted.text()]).toEqual([400, expect.stringContaining('The body is not JSON.')]);
    const huge = await fetch(`${url}/chat/completions`, { method: 'POST', body: 'x'.repeat(40 * 1024 ** 2) });
    expect([huge.status, await huge.text()]).toEqual([413, expect.stringContaining('larger than 32 MiB')]);
  });

  it("passes on what is the program's own to deal with, and waits out what passes", async () => {
    const { client, endpoint, failures } = await bench();
    const create = (text: string): Promise<unknown> => client.chat.completions.create(asking(text));
    await expect(create('broken tools')).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    await expect(create('long')).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
    expect(await create('busy')).toMatchObject({ choices: [{ message: { content: 'plain' } }] });
    expect(failures).toEqual([]);
    expect(endpoint.counts()).toEqual({ asked: 1, replayed: 0, refused: 2 });
  });

  it('ends the run of whoever has spent what it may, and of whose model cannot be asked', async () => {
    const spent = await bench({ usd: 0.001 });
    await expect(spent.client.chat.completions.create(asking('one'))).rejects.toMatchObject({
      status: 429,
      code: 'budget_exhausted',
      type: 'insufficient_quota',
    });
    await expect(spent.client.chat.completions.create(asking('two'))).rejects.toMatchObject({ status: 429 });
    expect([spent.spends(), spent.failures]).toEqual([1, []]);
    const { client, failures } = await bench();
    await expect(client.chat.completions.create(asking('key'))).rejects.toMatchObject({ status: 503 });
    expect(failures).toMatchObject([{ type: 'model.unauthorized' }]);
  });
});

const asking = (content: string): OpenAI.Chat.ChatCompletionCreateParamsNonStreaming => ({
  model: 'agent-model',
  messages: [{ role: 'user', content }],
});

/** A ledger, a provider, and endpoints of one step over it; each behind a port, as a door would have it. */
async function bench({ usd = null }: { usd?: number | null } = {}) {
  const provider = await startScriptedModelServer({ rules: RULES });
  const ledger = createMemoryLedger();
  const limits = { microUsd: null, tokens: null };
  ledger.accounts.set('c1', { kind: 'campaign', id: 'c1', epoch: 1, limits, exhausted: false });
  ledger.aliveWorkers.add('w');
  const blobs = createMemoryBlobs();
  const model = createOpenAiModel({ readKey: () => undefined });
  const metered = createMeteredModel({ model, ledger, blobs, worker: 'w' });
  const asker = askerOf(provider.url, usd);
  let spends = 0;
  const failures: unknown[] = [];
  closing.push(() => provider.close());

  async function open() {
    const endpoint = createMeteredEndpoint({
      model: 'agent-model',
      ask: async (body, { occurrence, maxOutputTokens }) => {
        const question = { purpose: 'generate', ordinal: occurrence, prompt: 'program@1', messages: [], body };
        return (await metered.ask(asker, { ...question, ...(maxOutputTokens && { maxOutputTokens }) })).answer;
      },
      onSpent: () => (spends += 1),
      onFailure: (error) => failures.push(error),
      signal: asker.signal,
    });
    const server = createServer({ allowHalfOpen: true }, (socket) => endpoint.serve(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    return { endpoint, url, client: new OpenAI({ baseURL: url, apiKey: 'none', logLevel: 'off' }) };
  }
  return { ...(await open()), open, ledger, failures, spends: () => spends, seen: () => provider.requests };
}

function askerOf(baseUrl: string, usd: number | null): Asker {
  const small = {
    ...{ name: 'small-name', baseUrl, apiKeyEnv: null, price: { input: 10, output: 20 } },
    ...{ maxOutputTokens: 1_000, temperature: null, timeoutSeconds: 300 },
  };
  const system = {
    ...{ id: 'sys', generator: 'command', model: 'small', purposes: {}, path: null, snapshot: null, vote: null },
    ...{ options: {}, limits: { usd, tokens: null, total: { usd: null, tokens: null } } },
  };
  const spec: CampaignSpec = {
    ...{ name: 'c1', suite: 'echo', dataset: {}, judge: {}, repeats: 1, seed: 1 },
    ...{ models: { small }, systems: [system], budget: { usd: null, tokens: null } },
    concurrency: { batches: 1, trials: 1, model: 1, sandbox: 1 },
  };
  return {
    ...{
      account: { kind: 'campaign', id: 'c1' },
      epoch: 1,
      stage: 'generate',
      step: 'program',
      fresh: 0,
      spec,
      system,
    },
    owner: { kind: 'generation', id: 'c1/sys/p/1' },
    signal: new AbortController().signal,
  };
}
