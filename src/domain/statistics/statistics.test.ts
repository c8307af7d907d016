import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorBounds, wilsonInterval } from './statistics.js';

describe('wilsonInterval', () => {
  // scipy.stats.binomtest(k, n).proportion_ci(method='wilson'), SciPy 1.17.1
  it.each([
    [0, 30, 0.0, 0.11351339317396875],
    [30, 30, 0.8864866068260312, 1.0],
    [1, 1, 0.20654931437723745, 1.0],
    [15, 30, 0.3315412564053377, 0.6684587435946623],
    [29, 30, 0.8332960900859083, 0.9940914096183875],
    [7, 124, 0.02761127094810196, 0.1119479845960476],
    [333, 1000, 0.3044779033483562, 0.3628002339858192],
  ])('%i of %i', (successes, total, low, high) => {
    const interval = wilsonInterval(successes, total);
    expect(interval?.low).toBeCloseTo(low, 12);
    expect(interval?.high).toBeCloseTo(high, 12);
  });

  it('is unknown without trials', () => expect(wilsonInterval(0, 0)).toBeNull());

  it('holds the rate and stays within 0..1', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.nat(2000), (successes, failures) => {
        fc.pre(successes + failures > 0);
        const interval = wilsonInterval(successes, successes + failures);
        const rate = successes / (successes + failures);
        expect(interval!.low).toBeGreaterThanOrEqual(0);
        expect(interval!.low).toBeLessThanOrEqual(rate);
        expect(interval!.high).toBeGreaterThanOrEqual(rate);
        expect(interval!.high).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('errorBounds', () => {
  it('counts every ungraded trial as failed, then as passed', () => {
    expect(errorBounds({ passed: 6, graded: 8, ungraded: 2 })).toEqual({ low: 0.6, high: 0.8 });
    expect(errorBounds({ passed: 0, graded: 0, ungraded: 0 })).toBeNull();
  });
});
