import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelSpec } from '../contract/campaign.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { createMemoryPacing } from '../fakes/memory-pacing.js';
import type { ModelAnswer } from '../ports/model.js';
import { createLimiter, providerOf } from './limiter.js';
import type { LimiterEvent, Permit } from './permit.js';

const model = {
  ...{ name: 'm', baseUrl: 'http://provider/v1', apiKeyEnv: 'KEY', price: 'free', maxOutputTokens: 1 },
  ...{ temperature: null, timeoutSeconds: 1 },
} satisfies ModelSpec;
const answer: ModelAnswer = { text: '', finishReason: 'stop', usage: null, providerRequestId: null };
const refusal = (retryAfterMs?: number) =>
  new DomainFailure('model.rate-limited', '429', retryAfterMs === undefined ? {} : { retryAfterMs });
const serverError = new DomainFailure('model.server-error', '500');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a limiter', () => {
  it('lets eight go at once, and the ninth when one of them is over', async () => {
    const { permit } = bench();
    const first = await Promise.all(Array.from({ length: 8 }, (_, n) => permit(`${n}`)));
    const ninth = permit('9');
    await vi.advanceTimersByTimeAsync(300);
    void first[0]?.answered(answer);
    await expect(ninth).resolves.toBeDefined();
  });

  it('sends a call away after two seconds at most, with a time to come back', async () => {
    const { permit } = bench();
    await Promise.all(Array.from({ length: 8 }, (_, n) => permit(`${n}`)));
    const ninth = settled(permit('9'));
    await vi.advanceTimersByTimeAsync(2_000);
    const { type, retryAfterMs } = await ninth;
    expect(type).toBe('model.waiting');
    expect(retryAfterMs).toBeGreaterThan(0);
  });

  it('keeps nobody waiting in a slot when the wait is known to be longer', async () => {
    const { permit, pacing } = bench();
    await pacing.hold({ provider: providerOf(model), holdMs: 20_000, reason: 'told so', worker: 'other' });
    const { retryAfterMs, message } = await settled(permit('1'));
    expect(retryAfterMs).toBeGreaterThanOrEqual(20_000);
    expect(message).toContain('told so');
  });

  it('waits a short hold out, whoever set it', async () => {
    const { permit, pacing } = bench();
    await pacing.hold({ provider: providerOf(model), holdMs: 1_500, reason: 'told so', worker: 'other' });
    const asked = permit('1');
    await vi.advanceTimersByTimeAsync(1_400);
    expect(await Promise.race([asked, Promise.resolve('waiting')])).toBe('waiting');
    await vi.advanceTimersByTimeAsync(200);
    await expect(asked).resolves.toBeDefined();
  });

  it('holds everybody for what a refusal says, and longer and longer when it says nothing', async () => {
    const { permit, pacing } = bench();
    await (await permit('1')).failed(refusal(7_000));
    expect((await pacing.waitMs(providerOf(model))).waitMs).toBe(7_000);
    await vi.advanceTimersByTimeAsync(7_001);
    const holds: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await (await permit('1')).failed(refusal());
      const { waitMs } = await pacing.waitMs(providerOf(model));
      holds.push(waitMs);
      await vi.advanceTimersByTimeAsync(waitMs + 1);
    }
    expect(holds).toEqual([500, 1_000, 2_000]);
  });

  it('takes single server errors as they come, and three in a row for an outage that one request probes', async () => {
    const { permit, pacing, events } = bench();
    const provider = providerOf(model);
    await (await permit('1')).failed(serverError);
    await (await permit('2')).answered(answer);
    for (let n = 0; n < 2; n += 1) await (await permit('1')).failed(serverError);
    expect((await pacing.waitMs(provider)).waitMs).toBe(0);
    const burst = await Promise.all(Array.from({ length: 4 }, (_, n) => permit(`${n}`)));
    for (const sent of burst) await sent.failed(serverError);
    expect((await pacing.waitMs(provider)).waitMs).toBe(1_000);
    await vi.advanceTimersByTimeAsync(1_001);
    const probe = await permit('1');
    const second = settled(permit('2'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await second).type).toBe('model.waiting');
    await probe.failed(serverError);
    expect((await pacing.waitMs(provider)).waitMs).toBe(2_000);
    await vi.advanceTimersByTimeAsync(2_001);
    await (await permit('1')).answered(answer);
    expect(await Promise.all([permit('1'), permit('2')])).toHaveLength(2);
    expect(events).toMatchObject([{ holdMs: 1_000 }, { holdMs: 2_000 }]);
  });

  it('gives those it sends away different times, and a call its own patience', async () => {
    const { permit, pacing } = bench();
    await pacing.hold({ provider: providerOf(model), holdMs: 60_000, reason: 'told so', worker: 'other' });
    const times = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => (await settled(permit(`${n}`))).retryAfterMs ?? 0),
    );
    expect(Math.min(...times)).toBeGreaterThanOrEqual(60_000);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(2_000);
    expect(Math.max(...times)).toBeLessThanOrEqual(65_000);
  });

  it('lets whoever failed or was refused wait as long as all, and no longer: the step itself counts its failures', async () => {
    const { permit } = bench();
    expect(await (await permit('poison')).failed(serverError)).toBeLessThanOrEqual(100);
    await (await permit('healthy')).answered(answer);
    expect(await (await permit('poison')).failed(refusal(100))).toBeLessThanOrEqual(100);
  });

  it('reports what it changed and why, and never the key', async () => {
    const { permit, events } = bench();
    const burst = await Promise.all(Array.from({ length: 8 }, (_, n) => permit(`${n}`)));
    for (const sent of burst) await sent.failed(refusal(2_500));
    expect(events[0]).toMatchObject({ provider: 'provider/v1 with KEY', from: 8, to: 5, reason: 'refused with 429' });
    expect(events[1]).toMatchObject({ holdMs: 2_500 });
  });

  it('knows a provider by endpoint and key, not by model or credentials in the address', () => {
    const of = (baseUrl: string, apiKeyEnv: string | null = null) => providerOf({ baseUrl, apiKeyEnv });
    expect(of('https://user:secret@host:8443/v1/?key=secret')).toBe('host:8443/v1');
    expect(of('https://host/v1', 'A')).not.toBe(of('https://host/v1', 'B'));
  });
});

function bench() {
  const pacing = createMemoryPacing();
  const events: LimiterEvent[] = [];
  const limiter = createLimiter({ pacing, worker: 'w', report: (event) => events.push(event) });
  const { signal } = new AbortController();
  const permit = (call: string): Promise<Permit> => limiter.permit(model, { call, campaign: 'c', ceiling: 8, signal });
  return { pacing, events, permit };
}

async function settled(asked: Promise<unknown>): Promise<DomainFailure> {
  return asked.then(
    () => expect.unreachable('it was permitted'),
    (error: unknown) => error as DomainFailure,
  );
}
