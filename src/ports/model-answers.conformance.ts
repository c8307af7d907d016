import { expect, it } from 'vitest';
import type { ModelBench } from './model-bench.conformance.js';

/** How answers come: whole, streamed or not, with what the endpoint says of them. */
export function answersConformance({ serve, ask }: ModelBench): void {
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

  it('reads one document from an endpoint that does not stream', async () => {
    const server = await serve({ default: { answer: 'whole', plain: true, usage: { input: 3, output: 2 } } });
    const usage = { inputTokens: 3, cachedInputTokens: 0, outputTokens: 2 };
    expect(await ask(server.url)).toMatchObject({ text: 'whole', finishReason: 'stop', usage });
  });

  it.each([true, false])('returns an empty answer as an answer, and a missing usage as none (%s)', async (plain) => {
    const server = await serve({ default: { answer: '', plain, usage: 'none', finishReason: 'length' } });
    expect(await ask(server.url)).toMatchObject({ text: '', usage: null, finishReason: 'length' });
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
}
