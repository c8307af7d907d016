import { describe, expect, it } from 'vitest';
import { rulesSchema, type ModelRulesInput } from './model-rules.js';
import { createProviderLimits } from './provider-limits.js';

describe('the limits of a scripted provider', () => {
  it('admit what was saved up, and then as much as comes in', () => {
    const { admitted, pass } = provider({ limits: { requestsPerMinute: 60, burstSeconds: 10 } });
    expect(admitted(20)).toBe(10);
    pass(3_000);
    expect(admitted(20)).toBe(3);
    pass(600_000);
    expect(admitted(20)).toBe(10);
  });

  it('count tokens as well, and take nothing for a request they refuse', () => {
    const { admit, pass } = provider({ limits: { requestsPerMinute: 60, tokensPerMinute: 30_000 } });
    for (let n = 0; n < 30; n += 1) expect(admit(1_000).admitted).toBe(true);
    expect(admit(1_000)).toMatchObject({ admitted: false, by: 'limits', status: 429, headers: { 'retry-after': '2' } });
    pass(1_000);
    expect(admit(1_000).admitted).toBe(false);
    pass(1_000);
    expect(admit(1_000).admitted).toBe(true);
    pass(600_000);
    expect(admit(1_000_000).admitted).toBe(true);
  });

  it('say when to come back always, never or every other time', () => {
    for (const [retryAfter, said] of [
      ['always', 10],
      ['never', 0],
      ['sometimes', 5],
    ] as const) {
      const { admit } = provider({ limits: { requestsPerMinute: 1, retryAfter } });
      admit(1);
      const refusals = Array.from({ length: 10 }, () => admit(1).headers['retry-after']);
      expect(refusals.filter((header) => header !== undefined)).toHaveLength(said);
    }
  });

  it('tell their state in headers where asked to', () => {
    const { admit } = provider({ limits: { requestsPerMinute: 60, headers: true } });
    expect(admit(1).headers).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1000ms',
    });
  });

  it('let errors through at their share, the same ones each time', () => {
    const failed = (): number[] => {
      const { admit } = provider({ errors: { share: 0.05 } });
      return Array.from({ length: 1_000 }, (_, n) => (admit(1).admitted ? 0 : n)).filter((n) => n > 0);
    };
    expect(failed().length).toBeGreaterThan(25);
    expect(failed().length).toBeLessThan(80);
    expect(failed()).toEqual(failed());
  });

  it('have outages, counted from the first request', () => {
    const { admit, pass } = provider({ outages: [{ afterMs: 1_000, forMs: 60_000 }] });
    pass(50_000);
    expect(admit(1).admitted).toBe(true);
    pass(1_000);
    expect(admit(1)).toMatchObject({ admitted: false, by: 'outage', status: 503 });
    pass(59_999);
    expect(admit(1).admitted).toBe(false);
    pass(1);
    expect(admit(1).admitted).toBe(true);
  });
});

function provider(rules: ModelRulesInput) {
  let now = 0;
  let n = 0;
  const limits = createProviderLimits(rulesSchema.parse(rules), () => now);
  const admit = (tokens: number) => limits.admit({ n: (n += 1), tokens });
  const admitted = (count: number): number =>
    Array.from({ length: count }, () => admit(1)).filter((each) => each.admitted).length;
  return { admit, admitted, pass: (ms: number) => void (now += ms) };
}
