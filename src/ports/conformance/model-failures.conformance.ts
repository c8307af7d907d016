import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { freePort } from '../../../tests/fixtures/free-port.js';
import { KEY, UNSENDABLE_KEYS, type ModelBench } from './model-bench.conformance.js';
import { waitUntil } from '../../../tests/fixtures/wait-until.js';

/** How requests end without an answer: with which failure, whether it may have been billed, and what a person reads. */
export function failuresConformance({ serve, ask, failure }: ModelBench): void {
  it('names a missing key variable, and asks nothing', async () => {
    const server = await serve({ default: { answer: 'ok' } });
    const error = await failure(ask(server.url, { apiKeyEnv: 'ABSENT_KEY' }));
    expect(error).toMatchObject({ type: 'model.key-missing', billing: 'none' });
    expect(error.message).toContain('ABSENT_KEY');
    // It waits for a worker that has the key.
    expect(error.message).toContain('npx durabench up');
    expect(server.requests).toHaveLength(0);
  });

  it.each(Object.entries(UNSENDABLE_KEYS))(
    'refuses a key that no header takes (%s), and repeats none of it',
    async (apiKeyEnv, key) => {
      const server = await serve({ default: { answer: 'ok' } });
      const error = await failure(ask(server.url, { apiKeyEnv }));
      expect(error).toMatchObject({ type: 'model.unauthorized', billing: 'none' });
      expect(error.message).toContain(apiKeyEnv);
      const told = inspect(error, { depth: null });
      for (const piece of key.split(/[\n$-]/)) expect(told).not.toContain(piece);
      expect(server.requests).toHaveLength(0);
    },
  );

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

  const AGAIN = 'npx durabench retry ID --errored';
  it.each([
    [
      '401',
      { status: 401 },
      ['answered 401: (?!401)', 'a key in TEST_KEY that this endpoint accepts', `set TEST_KEY .*${AGAIN}`],
    ],
    ['402', { status: 402 }, ['answered 402: (?!402)', 'an account with credit', `add credit, .*${AGAIN}`]],
    [
      '404',
      { status: 404 },
      ['answered 404: (?!404)', 'a model .* this endpoint knows', 'correct name or base_url .* run FILE'],
    ],
    [
      '429',
      { status: 429 },
      ['answered 429: (?!429)', 'limits of the account', 'work continues by itself; .*concurrency.model'],
    ],
    [
      '500',
      { status: 500 },
      ['answered 500: (?!500)', 'status 200', `8 times by itself; .*fix the endpoint, then: ${AGAIN}`],
    ],
    [
      'no JSON',
      { answer: 'x', malformed: 'not-json', plain: true },
      ['but its body is not JSON', 'choices\\[0\\].message', `at most twice; .*base_url .*${AGAIN}`],
    ],
    [
      'broken JSON',
      { answer: 'x', malformed: 'broken-json' },
      ['an event that is not JSON', 'choices\\[0\\].message', `at most twice; .*base_url .*${AGAIN}`],
    ],
    [
      'no choice',
      { answer: 'x', malformed: 'no-choices', plain: true },
      ['no choice with a message', 'choices\\[0\\].message', `at most twice; .*base_url .*${AGAIN}`],
    ],
    [
      'a cut',
      { answer: 'x', cut: 'before-reply' },
      [
        'broke before the answer was complete',
        'a whole answer within 300 s',
        'once more by itself unless budget.on_ambiguous says fail',
      ],
    ],
  ] as const)('%s: says which model where, what was expected, and how to fix it', async (_, reply, words) => {
    const server = await serve({ default: reply });
    const lines = (await failure(ask(server.url))).message.split('\n');
    expect(lines[0]).toContain(`scripted at ${new URL(server.url).host} `);
    for (const [index, word] of words.entries()) expect(lines[index]).toMatch(new RegExp(word));
  });

  it('says of an endpoint that is down how often it is tried, and what then', async () => {
    const { message } = await failure(ask(`http://127.0.0.1:${await freePort()}/v1`));
    const [what, allowed, remedy] = message.split('\n');
    expect(what).toMatch(/^scripted at 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)$/);
    expect(allowed).toMatch(/takes connections at base_url/);
    expect(remedy).toMatch(/tried 8 times by itself; if all fail, start it .*retry ID --errored$/);
  });

  it('keeps the remedy in sight, however much the endpoint says', async () => {
    const server = await serve({ default: { status: 401, error: { message: 'word '.repeat(5_000) } } });
    const { message } = await failure(ask(server.url));
    expect(message.length).toBeLessThan(800);
    expect(message).toMatch(/ \[…\]\nexpected: .*\nfix: set TEST_KEY .* --errored$/);
  });

  it('passes on Retry-After, in seconds, milliseconds or as a date', async () => {
    const after = async (headers: Record<string, string>): Promise<number | null> => {
      const server = await serve({ default: { status: 429, headers } });
      return (await failure(ask(server.url))).retryAfterMs;
    };
    expect(await after({ 'retry-after': '7' })).toBe(7_000);
    expect(await after({ 'retry-after': '999999999' })).toBe(3_600_000);
    expect(await after({ 'retry-after-ms': '250', 'retry-after': '1' })).toBe(250);
    const date = await after({ 'retry-after': new Date(Date.now() + 600_000).toUTCString() });
    expect(date).toBeGreaterThan(300_000);
    expect(date).toBeLessThanOrEqual(600_000);
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

  it.each(
    [
      [429, 'model.rate-limited'],
      [402, 'model.unauthorized'],
      [502, 'model.server-error'],
    ].flatMap(([code, type]) => [true, false].map((plain) => ({ code: Number(code), type, plain }))),
  )('takes an error $code in a reply with status 200 for what it says (one document: $plain)', async (said) => {
    const { code, type, plain } = said;
    const error = { message: `Provider says no to ${KEY}`, code };
    const server = await serve({ default: { answer: 'x', malformed: 'error-in-200', error, plain } });
    const told = await failure(ask(server.url));
    expect(told).toMatchObject({ type, billing: 'none' });
    expect(told.message).toContain('Provider says no to');
    expect(told.message).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  it('repeats an error without a status in a reply with status 200, which nobody can use', async () => {
    const error = { message: 'upstream is broken', code: 'oops' };
    const server = await serve({ default: { answer: 'x', malformed: 'error-in-200', error, plain: true } });
    const told = await failure(ask(server.url));
    expect(told).toMatchObject({ type: 'model.bad-answer', billing: 'ambiguous' });
    expect(told.message).toContain('upstream is broken');
  });

  it.each([true, false])('takes no part of an answer that ended with an error for one (%s)', async (plain) => {
    const usage = { input: 5, output: 6 };
    const server = await serve({ default: { answer: 'one two', finishReason: 'error', usage, plain } });
    expect(await failure(ask(server.url))).toMatchObject({
      ...{ type: 'model.bad-answer', billing: 'ambiguous' },
      usage: { inputTokens: 5, outputTokens: 6 },
    });
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
    const server = await serve({ default: { answer: 'late', delayMs: 600_000 } });
    const controller = new AbortController();
    const asked = failure(ask(server.url, {}, controller.signal));
    await waitUntil(() => server.requests.length === 1);
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
}
