import { expect, it } from 'vitest';
import type { ModelBench } from './model-bench.conformance.js';
import { waitUntil } from '../../../tests/fixtures/wait-until.js';

/** How an answer is fetched again from a provider that keeps it. */
export function keptAnswersConformance({ serve, ask, begun, retrieve, failure }: ModelBench): void {
  const stored = { stored: true } as const;
  const usage = { input: 50, cached: 10, output: 700 };

  it('says what an answer is called before the rest of it comes, and fetches it whole after it was cut', async () => {
    const server = await serve({ default: { answer: 'YES '.repeat(700), usage, cut: { afterBytes: 400 } } });
    expect((await failure(ask(server.url, stored))).type).toBe('model.ambiguous');
    expect(begun).toEqual(['chatcmpl-scripted-1']);
    expect(await retrieve(server.url, 'chatcmpl-scripted-1')).toMatchObject({
      ...{ text: 'YES '.repeat(700), finishReason: 'stop', providerRequestId: null },
      usage: { inputTokens: 50, cachedInputTokens: 10, outputTokens: 700 },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('asks a provider to keep nothing, and tells no id, where the model is not stored', async () => {
    const server = await serve({ default: { answer: 'ok' } });
    await ask(server.url);
    expect(begun).toEqual([]);
    expect(await retrieve(server.url, 'chatcmpl-scripted-1')).toBeNull();
  });

  it('finds nothing where nothing is kept, and before the answer is finished', async () => {
    const server = await serve({
      rules: [{ match: { nth: 1 }, answer: 'lost', kept: false }],
      default: { answer: 'so slow', chunkDelayMs: 20_000, cut: { afterBytes: 400 } },
    });
    await ask(server.url, stored);
    const cut = new AbortController();
    const asked = failure(ask(server.url, stored, cut.signal));
    await waitUntil(() => begun.length === 2);
    expect(begun).toHaveLength(2);
    expect(await Promise.all(begun.map((id) => retrieve(server.url, id)))).toEqual([null, null]);
    expect(server.lookUps.map(({ isFound }) => isFound)).toEqual([false, false]);
    cut.abort();
    await asked;
  });

  it('finds nothing at an endpoint that is unavailable, and stops when it is told to', async () => {
    const server = await serve({ default: { answer: 'ok' } });
    await server.close();
    expect(await retrieve(server.url, 'chatcmpl-scripted-1')).toBeNull();
    await expect(retrieve(server.url, 'any', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
}
