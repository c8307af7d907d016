import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelSpec } from '../contract/campaign.js';
import { DomainFailure } from '../domain/domain-failure.js';
import type { ModelRulesInput } from '../fakes/model-rules.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../fakes/scripted-model-server.js';
import type { Model, ModelAnswer } from './model.js';

type Readable = (envName: string) => string | undefined;

const KEY = 'sk-test-0123456789abcdef';

/** What every adapter of an OpenAI-compatible endpoint does, over real HTTP against the scripted server. */
export function modelConformance(name: string, create: (readKey: Readable) => Model): void {
  const running: ScriptedModelServer[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.close()));
  });

  const serve = async (rules: ModelRulesInput): Promise<ScriptedModelServer> => {
    const server = await startScriptedModelServer({ rules });
    running.push(server);
    return server;
  };
  const model = create((envName) => (envName === 'TEST_KEY' ? KEY : undefined));
  const ask = (
    url: string,
    spec: Partial<ModelSpec> = {},
    signal = new AbortController().signal,
  ): Promise<ModelAnswer> =>
    model.complete({ ...modelSpec(url), ...spec }, request, signal, { purpose: 'vote', call: 'call-1' });
  const failure = async (asked: Promise<unknown>): Promise<DomainFailure> => {
    const error: unknown = await asked.then(
      () => new Error('it answered'),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(DomainFailure);
    return error as DomainFailure;
  };

  describe(`${name} is a model`, () => {
    it('answers with text, usage and the provider’s request id, in one request', async () => {
      const server = await serve({
        rules: [
          {
            match: { purpose: 'vote', system: 'careful', contains: 'yes or no' },
            answer: 'YES\nbecause',
            usage: { input: 50, cached: 10, output: 7 },
          },
        ],
      });
      expect(await ask(server.url)).toEqual({
        text: 'YES\nbecause',
        finishReason: 'stop',
        usage: { inputTokens: 50, cachedInputTokens: 10, outputTokens: 7 },
        providerRequestId: 'req-scripted-1',
      });
      expect(server.requests).toMatchObject([{ purpose: 'vote', call: 'call-1', authorized: true, status: 200 }]);
    });

    it('keeps a long answer in order, whatever its characters', async () => {
      const answer = 'def f(): return "漢字 🎈"\n'.repeat(500);
      const server = await serve({ default: { answer } });
      expect((await ask(server.url)).text).toBe(answer);
    });

    it('sends no key to an endpoint without one', async () => {
      const server = await serve({ default: { answer: 'ok' } });
      await ask(server.url, { apiKeyEnv: null });
      expect(server.requests[0]?.authorized).toBe(false);
    });

    it('names a missing key variable, and asks nothing', async () => {
      const server = await serve({ default: { answer: 'ok' } });
      const error = await failure(ask(server.url, { apiKeyEnv: 'ABSENT_KEY' }));
      expect(error).toMatchObject({ type: 'model.unauthorized', billing: 'none' });
      expect(error.message).toContain('ABSENT_KEY');
      // The trial has errored, and so has ended: `resume` would leave it as it is.
      expect(error.message).toContain('npx durabench retry ID --errored');
      expect(server.requests).toHaveLength(0);
    });

    it.each([
      [400, undefined, 'model.bad-request'],
      [
        400,
        { message: 'This model’s maximum context length is 8192 tokens', code: 'context_length_exceeded' },
        'model.context-length',
      ],
      [400, { message: 'rejected', code: 'content_policy_violation' }, 'model.content-policy'],
      [401, undefined, 'model.unauthorized'],
      [402, undefined, 'model.unauthorized'],
      [403, undefined, 'model.unauthorized'],
      [404, undefined, 'model.bad-request'],
      [408, undefined, 'model.server-error'],
      [409, undefined, 'model.server-error'],
      [422, undefined, 'model.bad-request'],
      [429, undefined, 'model.rate-limited'],
      [429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }, 'model.unauthorized'],
      [500, undefined, 'model.server-error'],
      [503, undefined, 'model.server-error'],
    ] as const)('turns status %i (%o) into %s, not billed, in one request', async (status, error, type) => {
      const server = await serve({ default: { status, ...(error ? { error } : {}) } });
      expect(await failure(ask(server.url))).toMatchObject({ type, billing: 'none', retryAfterMs: null });
      expect(server.requests).toHaveLength(1);
    });

    it.each([401, 402, 403])('says with %i the command that runs the trials again', async (status) => {
      const server = await serve({ default: { status } });
      expect((await failure(ask(server.url))).message).toContain('npx durabench retry ID --errored');
    });

    it('keeps the remedy in sight, however much the endpoint says', async () => {
      const server = await serve({ default: { status: 401, error: { message: 'word '.repeat(5_000) } } });
      const { message } = await failure(ask(server.url));
      expect(message.length).toBeLessThan(500);
      expect(message).toMatch(/ \[…\] Check the key .* --errored$/);
    });

    it('passes on Retry-After, in seconds, milliseconds or as a date', async () => {
      const after = async (headers: Record<string, string>): Promise<number | null> => {
        const server = await serve({ default: { status: 429, headers } });
        return (await failure(ask(server.url))).retryAfterMs;
      };
      expect(await after({ 'retry-after': '7' })).toBe(7_000);
      expect(await after({ 'retry-after': '999999999' })).toBe(3_600_000);
      expect(await after({ 'retry-after-ms': '250', 'retry-after': '1' })).toBe(250);
      const date = await after({ 'retry-after': new Date(Date.now() + 30_000).toUTCString() });
      expect(date).toBeGreaterThan(20_000);
      expect(date).toBeLessThanOrEqual(30_000);
    });

    it('never repeats a key in a message', async () => {
      const message = `Incorrect API key provided: ${KEY}. Also Bearer ${KEY} and sk-proj-99********abcd.`;
      const server = await serve({ default: { status: 401, error: { message } } });
      const error = await failure(ask(server.url));
      expect(error.message).toContain('Incorrect API key provided');
      expect(inspect(error, { depth: 10 })).not.toMatch(/0123456789abcdef|99\*+abcd/);
    });

    const faults = (['broken-json', 'not-json', 'no-choices'] as const).flatMap((malformed) =>
      [true, false].map((plain) => ({ malformed, plain })),
    );
    it.each(faults)(
      'calls a complete reply with $malformed unusable (one document: $plain)',
      async ({ malformed, plain }) => {
        const server = await serve({
          default: { answer: 'x'.repeat(400), plain, malformed, usage: { input: 5, output: 6 } },
        });
        const usage = malformed === 'no-choices' ? { inputTokens: 5, cachedInputTokens: 0, outputTokens: 6 } : null;
        expect(await failure(ask(server.url))).toMatchObject({ type: 'model.bad-answer', billing: 'ambiguous', usage });
      },
    );

    it('reads one document from an endpoint that does not stream', async () => {
      const server = await serve({ default: { answer: 'whole', plain: true, usage: { input: 3, output: 2 } } });
      const usage = { inputTokens: 3, cachedInputTokens: 0, outputTokens: 2 };
      expect(await ask(server.url)).toMatchObject({ text: 'whole', finishReason: 'stop', usage });
    });

    it.each([true, false])('returns an empty answer as an answer, and a missing usage as none (%s)', async (plain) => {
      const server = await serve({ default: { answer: '', plain, usage: 'none', finishReason: 'length' } });
      expect(await ask(server.url)).toMatchObject({ text: '', usage: null, finishReason: 'length' });
    });

    const cuts = [{ cut: 'before-reply' as const }, { cut: { afterBytes: 0 } }, { cut: { afterBytes: 300 } }];
    it.each(cuts.flatMap((cut) => [true, false].map((plain) => ({ ...cut, plain }))))(
      'calls a reply cut ambiguous: %o',
      async (fault) => {
        const server = await serve({ default: { answer: 'word '.repeat(200), ...fault } });
        expect(await failure(ask(server.url))).toMatchObject({ type: 'model.ambiguous', billing: 'ambiguous' });
        expect(server.requests).toHaveLength(1);
      },
    );

    it.each([
      ['before the first byte', { delayMs: 5_000 }],
      ['in the middle', { chunkDelayMs: 400 }],
    ])('calls a time-out %s ambiguous', async (_, slow) => {
      const server = await serve({ default: { answer: 'word '.repeat(200), ...slow } });
      const error = await failure(ask(server.url, { timeoutSeconds: 0.3 }));
      expect(error).toMatchObject({ type: 'model.ambiguous', billing: 'ambiguous' });
      expect(error.message).toContain('within 0.3 s');
    });

    it('stops when it is told to', async () => {
      const server = await serve({ default: { answer: 'late', delayMs: 5_000 } });
      const controller = new AbortController();
      const asked = failure(ask(server.url, {}, controller.signal));
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort();
      expect(await asked).toMatchObject({ type: 'model.ambiguous', billing: 'ambiguous' });
    });

    it.each([
      ['nothing listens', async () => `http://127.0.0.1:${await freePort()}/v1`],
      ['the host has no address', async () => 'http://no-such-host.invalid/v1'],
    ])('knows that nothing was billed when %s', async (_, url) => {
      expect(await failure(ask(await url()))).toMatchObject({ type: 'model.unreachable', billing: 'none' });
    });

    it.each([
      ['http://user:hunter2@127.0.0.1:4917/v1', 'credentials'],
      ['http://127.0.0.1:6000/v1', 'a blocked port'],
      ['no address', 'no URL'],
    ])('knows that %s cannot be asked, that nothing was sent, and repeats no password', async (url) => {
      const error = await failure(ask(url));
      expect(error).toMatchObject({ type: 'model.bad-request', billing: 'none' });
      expect(error.message).toMatch(/base_url/);
      expect(inspect(error)).not.toContain('hunter2');
    });

    it('knows that nothing was billed when the endpoint does not speak TLS', async () => {
      const server = await serve({ default: { answer: 'ok' } });
      const asked = ask(server.url.replace('http:', 'https:'));
      expect(await failure(asked)).toMatchObject({ type: 'model.unreachable', billing: 'none' });
    });

    it('answers in the endpoint’s own terms once a 400 has named them', async () => {
      const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
      const server = await serve({
        rules: [{ match: { nth: 1 }, status: 400, error: { message } }],
        default: { answer: 'ok' },
      });
      expect((await ask(server.url)).text).toBe('ok');
      expect((await ask(server.url)).text).toBe('ok');
      expect(server.requests.map((seen) => seen.status)).toEqual([400, 200, 200]);
    });
  });
}

const request = {
  messages: [
    { role: 'system' as const, content: 'You are careful.' },
    { role: 'user' as const, content: 'Answer yes or no.' },
  ],
  maxOutputTokens: 4_000,
  temperature: 0,
  json: false,
};

function modelSpec(baseUrl: string): ModelSpec {
  return {
    name: 'scripted',
    baseUrl,
    apiKeyEnv: 'TEST_KEY',
    price: { input: 1, output: 2 },
    maxOutputTokens: 4_000,
    temperature: 0,
    timeoutSeconds: 20,
  };
}

/** A port nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 1;
}
