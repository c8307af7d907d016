import { describe, expect, it } from 'vitest';
import { readRate, retryAfterMs } from './rate-headers.js';

const rate = (limit: string, remaining: string, reset: string, what = '-requests') =>
  new Headers({
    [`x-ratelimit-limit${what}`]: limit,
    [`x-ratelimit-remaining${what}`]: remaining,
    [`x-ratelimit-reset${what}`]: reset,
  });

describe('rate headers', () => {
  it.each([
    ['1s', 1_000],
    ['6m0s', 360_000],
    ['1h2m3.5s', 3_723_500],
    ['20ms', 20],
    ['7', 7_000],
    ['0.25', 250],
  ])('read the reset %s', (reset, resetMs) => {
    expect(readRate(rate('60', '59', reset))).toEqual({
      requests: { limit: 60, remaining: 59, resetMs },
      tokens: null,
    });
  });

  it('read a moment as what is left until it', () => {
    const inAMinute = new Date(Date.now() + 60_000);
    for (const text of [inAMinute.toISOString(), String(Math.ceil(inAMinute.getTime() / 1000))]) {
      const resetMs = readRate(rate('60', '0', text, ''))?.requests?.resetMs ?? 0;
      expect(resetMs).toBeGreaterThan(50_000);
      expect(resetMs).toBeLessThanOrEqual(61_000);
    }
  });

  it('read tokens beside requests, and nothing from what is incomplete or no number', () => {
    expect(readRate(rate('30000', '120', '59.8s', '-tokens'))?.tokens).toEqual({
      ...{ limit: 30_000, remaining: 120, resetMs: 59_800 },
    });
    expect(readRate(new Headers({ 'x-ratelimit-remaining-requests': '1' }))).toBeUndefined();
    expect(readRate(rate('many', '1', '1s'))).toBeUndefined();
    expect(readRate(rate('60', '-1', 'soon'))).toBeUndefined();
  });

  it('say how long to wait after a refusal', () => {
    expect(retryAfterMs(new Headers({ 'retry-after': '2' }))).toBe(2_000);
    expect(retryAfterMs(new Headers({ 'retry-after': '2', 'retry-after-ms': '1500.2' }))).toBe(1_501);
    expect(retryAfterMs(new Headers({ 'retry-after': 'soon' }))).toBeNull();
    expect(retryAfterMs(new Headers({ 'retry-after': new Date(0).toUTCString() }))).toBe(0);
    expect(retryAfterMs(undefined)).toBeNull();
  });
});
