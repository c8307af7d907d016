import { describe, expect, it } from 'vitest';
import { agreementOf } from './agreement.js';

describe('agreementOf', () => {
  it('counts who says the same of the same thing, and takes off what chance alone would agree on', () => {
    // Cohen 1960, in counts: 20 and 15 of 50 alike, said yes by 25 and by 30: by chance half of them.
    const pairs = [
      ...Array<[string, string]>(20).fill(['yes', 'yes']),
      ...Array<[string, string]>(5).fill(['yes', 'no']),
      ...Array<[string, string]>(10).fill(['no', 'yes']),
      ...Array<[string, string]>(15).fill(['no', 'no']),
    ];
    const { total, agreed, kappa } = agreementOf(pairs);
    expect([total, agreed]).toEqual([50, 35]);
    expect(kappa).toBeCloseTo((0.7 - 0.5) / (1 - 0.5), 12);
  });

  it('is below nothing where they agree less often than by chance, and whole where they always do', () => {
    expect(
      agreementOf([
        [1, null],
        [null, 1],
      ]),
    ).toEqual({ total: 2, agreed: 0, kappa: -1 });
    expect(
      agreementOf([
        [1, 1],
        [null, null],
      ]),
    ).toEqual({ total: 2, agreed: 2, kappa: 1 });
  });

  it('has no kappa where nothing is compared, or where both always say one thing', () => {
    expect(agreementOf([])).toEqual({ total: 0, agreed: 0, kappa: null });
    expect(agreementOf(Array<[string, string]>(3).fill(['a', 'a']))).toEqual({ total: 3, agreed: 3, kappa: null });
  });
});
