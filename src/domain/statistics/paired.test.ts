import { describe, expect, it } from 'vitest';
import { flips, holm, mcnemarChiSquared, mcnemarP, pairedDifference, tasksNeeded } from './paired.js';

describe('exact McNemar', () => {
  // statsmodels.stats.contingency_tables.mcnemar([[10, g], [l, 10]], exact=True).pvalue, 0.15.0
  it.each([
    [0, 0, 1],
    [5, 5, 1],
    [0, 5, 0.0625],
    [12, 4, 0.076812744140625],
    [30, 10, 0.0022214337732293643],
  ])('%i gained, %i lost', (gained, lost, p) => expect(mcnemarP({ gained, lost })).toBeCloseTo(p, 12));
});

it('McNemar’s chi-squared is that of statsmodels', () => {
  // mcnemar([[10, 12], [4, 10]], exact=False, correction=False)
  expect(mcnemarChiSquared({ gained: 12, lost: 4 })).toEqual({
    value: 4,
    p: expect.closeTo(0.0455002638, 8) as number,
  });
  expect(mcnemarChiSquared({ gained: 0, lost: 0 })).toBeNull();
});

it('Holm goes on from the smallest, and never sinks', () => {
  // statsmodels.stats.multitest.multipletests(ps, method='holm')
  expect(holm([0.01, 0.04, 0.03, 0.5])).toEqual([0.04, 0.09, 0.09, 0.5].map((p) => expect.closeTo(p, 12) as number));
  expect(holm([0.6, 0.7])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});

describe('the difference of pairs', () => {
  const bins = [
    { a: 1, b: 1, tasks: 50 },
    { a: 0, b: 0, tasks: 30 },
    { a: 0, b: 1, tasks: 15 },
    { a: 1, b: 0, tasks: 5 },
  ];

  it('is the mean over tasks, drawn as pairs', () => {
    const figure = pairedDifference(bins, 1)!;
    expect(figure.value).toBeCloseTo(0.1, 12);
    // 0.1 ± 1.96 √((0.2 − 0.01) / 100)
    expect(figure.interval?.low).toBeCloseTo(0.0146, 1);
    expect(figure.interval?.high).toBeCloseTo(0.1854, 1);
    expect(flips(bins)).toEqual({ gained: 15, lost: 5 });
  });

  it('allows for flips that were not seen', () => {
    const same = pairedDifference([{ a: 1, b: 1, tasks: 30 }], 1)!;
    expect(same.interval?.low).toBeCloseTo(-0.1135, 4);
    expect(same.interval?.high).toBeCloseTo(0.1135, 4);
    const all = pairedDifference([{ a: 0, b: 1, tasks: 30 }], 1)!;
    expect(all.interval?.high).toBe(1);
    expect(all.interval?.low).toBeCloseTo(1 - 2 * 0.1135, 4);
    expect(pairedDifference([], 1)).toBeNull();
  });

  it('needs so many tasks to be told', () => {
    // (1.959964 √0.2 + 0.841621 √(0.2 − 0.01))² / 0.01
    expect(tasksNeeded(bins)).toBe(155);
    expect(tasksNeeded([{ a: 1, b: 1, tasks: 3 }])).toBeNull();
  });
});
