import { expect, it } from 'vitest';
import type { ModelBench } from './model-bench.conformance.js';

/** How answers come: whole, streamed or not, with what the endpoint says of them. */
export function answersConformance({ serve, ask, failure }: ModelBench): void {
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
      claimedUsage: expect.objectContaining({ prompt_tokens: 50, completion_tokens: 7 }) as object,
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

  it('answers every call of several in flight that learn the terms at one time', async () => {
    const waiting: (() => void)[] = [];
    // Nobody is answered before all six have been sent in the first terms.
    const together = async ({ n }: { n: number }): Promise<void> => {
      if (n > 6) return;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (n === 6) waiting.forEach((go) => go());
      });
    };
    const endpoint = { outputCap: 'max_completion_tokens' as const };
    const server = await serve({ endpoint, default: { answer: 'ok' } }, together);
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(server.url)));
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 6 }, () => 'ok'));
    expect(server.requests.map(({ status }) => status).sort()).toEqual(
      [200, 400].flatMap((each) => Array.from({ length: 6 }, () => each)),
    );
  });

  it('learns one difference after the other, and says what it may not change', async () => {
    const refuses = ['stream_options' as const];
    const server = await serve({
      endpoint: { outputCap: 'max_completion_tokens', refuses },
      default: { answer: 'ok' },
    });
    expect((await ask(server.url)).text).toBe('ok');
    expect(server.requests.map(({ status }) => status)).toEqual([400, 400, 200]);
    const strict = await serve({ endpoint: { refuses: ['temperature'] }, default: { answer: 'ok' } });
    const refused = await failure(ask(strict.url));
    expect(refused.type).toBe('model.bad-request');
    expect(refused.message).toContain("'temperature' is not supported with this model");
  });
}
