import { describe, expect, it } from 'vitest';
import { chanceToAdopt, decide, detectableEffect } from './decision.js';

const seen = (value: number, low: number, high: number, pHolm: number) => ({
  difference: { value, interval: { low, high } },
  pHolm,
});

describe('a decision', () => {
  it.each([
    ['what is told apart and large enough', seen(0.2, 0.1, 0.3, 0.001), 'adopt'],
    ['a small p and a gain that does not matter', seen(0.02, 0.015, 0.025, 1e-9), 'keep'],
    ['a small p, a gain below what matters, and room for more', seen(0.04, 0.01, 0.07, 0.01), 'undecided'],
    ['a large gain that chance explains', seen(0.2, -0.05, 0.4, 0.2), 'undecided'],
    ['an interval above nothing without the test', seen(0.2, 0.01, 0.4, 0.06), 'undecided'],
    ['a loss', seen(-0.2, -0.3, -0.1, 0.001), 'keep'],
    ['no room for a gain that matters', seen(0, -0.04, 0.04, 1), 'keep'],
  ] as const)('on %s', (_, given, decision) => expect(decide(given, 0.05)).toBe(decision));
});

describe('the chance to adopt', () => {
  const rule = { smallestEffect: 0.05, variants: 1 };

  it('is that of enough gains where nothing is lost', () => {
    // Six gains without a loss are the fewest with p <= 0.05: 1 - binomial.cdf(5, 20, 0.3), SciPy 1.15
    expect(chanceToAdopt(20, { gained: 0.3, lost: 0 }, rule)).toBeCloseTo(0.5836292, 6);
  });

  it('is half of the level at most where the variant is no better', () => {
    for (const tasks of [20, 50, 200, 1000])
      expect(chanceToAdopt(tasks, { gained: 0.15, lost: 0.15 }, { smallestEffect: 0.001, variants: 1 })).toBeLessThan(
        0.0251,
      );
  });

  it('falls with further variants and with a larger gain that is asked for', () => {
    const flips = { gained: 0.2, lost: 0.05 };
    const one = chanceToAdopt(100, flips, rule);
    expect(chanceToAdopt(100, flips, { ...rule, variants: 3 })).toBeLessThan(one);
    expect(chanceToAdopt(100, flips, { ...rule, smallestEffect: 0.2 })).toBeLessThan(one);
  });

  it('tells the smallest gain that is found so often, or that there is none', () => {
    const found = detectableEffect(100, { flips: 0.1, chance: 0.8, ...rule });
    expect(chanceToAdopt(100, { gained: found! + 0.05, lost: 0.05 }, rule)).toBeGreaterThanOrEqual(0.8);
    expect(chanceToAdopt(100, { gained: found! + 0.049, lost: 0.05 }, rule)).toBeLessThan(0.8);
    expect(detectableEffect(4, { flips: 0.1, chance: 0.8, ...rule })).toBeNull();
  });
});
