import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchPrice, costMicroUsd, microUsd, totalTokens } from './prices.js';

const usage = (inputTokens: number, outputTokens: number, cachedInputTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens,
});

describe('costMicroUsd', () => {
  it('reads dollars per million tokens as micro-dollars per token', () => {
    expect(costMicroUsd({ input: 2.5, output: 10 }, usage(1_000_000, 0))).toBe(2_500_000);
    expect(costMicroUsd({ input: 2.5, output: 10 }, usage(1_000, 500))).toBe(7_500);
  });

  it('charges cached input at its own price, and at the input price where none is given', () => {
    expect(costMicroUsd({ input: 2, output: 0, cachedInput: 0.5 }, usage(100, 0, 80))).toBe(80);
    expect(costMicroUsd({ input: 2, output: 0 }, usage(100, 0, 80))).toBe(200);
    expect(costMicroUsd({ input: 2, output: 0, cachedInput: 0.5 }, usage(10, 0, 80))).toBe(5);
  });

  it('rounds up to the micro-dollar once, and has no float drift', () => {
    expect(costMicroUsd({ input: 0.1, output: 0 }, usage(1, 0))).toBe(1);
    expect(costMicroUsd({ input: 0.1, output: 0 }, usage(30, 0))).toBe(3);
    expect(costMicroUsd({ input: 0.07, output: 0.28 }, usage(100, 100))).toBe(35);
    expect(costMicroUsd('free', usage(1_000, 1_000))).toBe(0);
  });

  it('is never below the exact price and less than one micro-dollar above it', () => {
    const cents = fc.integer({ min: 0, max: 10_000 });
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(cents, cents, tokens, tokens, (input, output, inTokens, outTokens) => {
        const cost = costMicroUsd({ input: input / 100, output: output / 100 }, usage(inTokens, outTokens));
        const exactHundredths = input * inTokens + output * outTokens;
        expect(cost * 100).toBeGreaterThanOrEqual(exactHundredths);
        expect(cost * 100 - exactHundredths).toBeLessThan(100);
      }),
    );
  });
});

describe('microUsd and totalTokens', () => {
  it('converts what people write', () => {
    expect(microUsd(1)).toBe(1_000_000);
    expect(microUsd(0.29)).toBe(290_000);
    expect(totalTokens(usage(10, 5, 8))).toBe(15);
  });
});

it('takes a share of every price in a provider batch, and nothing of what is free', () => {
  expect(batchPrice({ input: 1.1, output: 4.4, cachedInput: 0.5 }, 0.5)).toEqual({
    ...{ input: 0.55, output: 2.2, cachedInput: 0.25 },
  });
  expect(batchPrice({ input: 2, output: 4 }, 0.5)).toEqual({ input: 1, output: 2 });
  expect(batchPrice('free', 0.5)).toBe('free');
});
