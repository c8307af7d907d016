import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passAtK, passHatK, toldK } from './repeats.js';

const choose = (n: number, k: number): bigint => {
  let [top, bottom] = [1n, 1n];
  for (let index = 0; index < k; index += 1) [top, bottom] = [top * BigInt(n - index), bottom * BigInt(index + 1)];
  return k > n ? 0n : top / bottom;
};
const share = (some: number, all: number, k: number): number =>
  Number((choose(some, k) * 10n ** 15n) / choose(all, k)) / 1e15;

describe('pass@k and pass^k', () => {
  it('are the shares of subsets of k with one, and all, that passed', () => {
    expect([1, 2, 5].map((k) => passAtK({ graded: 5, passed: 2 }, k))).toEqual([0.4, 0.7, 1]);
    expect([1, 2, 5].map((k) => passHatK({ graded: 5, passed: 2 }, k))).toEqual([0.4, expect.closeTo(0.1, 12), 0]);
  });

  it('are unknown where fewer than k were graded', () => {
    expect([passAtK({ graded: 1, passed: 1 }, 2), passHatK({ graded: 0, passed: 0 }, 1)]).toEqual([null, null]);
  });

  it('are those of exact binomial coefficients', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(60), fc.integer({ min: 1, max: 60 }), (graded, some, k) => {
        fc.pre(k <= graded);
        const passed = some % (graded + 1);
        expect(passAtK({ graded, passed }, k)).toBeCloseTo(1 - share(graded - passed, graded, k), 10);
        expect(passHatK({ graded, passed }, k)).toBeCloseTo(share(passed, graded, k), 10);
      }),
    );
  });

  it('are unbiased: their mean over all outcomes is that of k fresh repeats', () => {
    const [graded, k, rate] = [7, 3, 0.37];
    const chance = (passed: number): number =>
      Number(choose(graded, passed)) * rate ** passed * (1 - rate) ** (graded - passed);
    const mean = (of: typeof passAtK): number =>
      Array.from({ length: graded + 1 }, (_, passed) => chance(passed) * of({ graded, passed }, k)!).reduce(
        (one, other) => one + other,
      );
    expect(mean(passAtK)).toBeCloseTo(1 - (1 - rate) ** k, 12);
    expect(mean(passHatK)).toBeCloseTo(rate ** k, 12);
  });

  it.each([
    [1, [1]],
    [3, [1, 2, 3]],
    [8, [1, 2, 4, 8]],
    [10, [1, 2, 4, 8, 10]],
  ])('of %i repeats are told for some k', (repeats, ks) => expect(toldK(repeats)).toEqual(ks));
});
