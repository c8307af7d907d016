import { expect, it } from 'vitest';
import { clusteredShare, meanOfGroups } from './clusters.js';

const groups = (count: number) => Array.from({ length: count }, (_, index) => ({ graded: 5, passed: index % 6 }));

it('is that of statsmodels', () => {
  // OLS(passed, 1).fit(cov_type='cluster', cov_kwds={'groups': group}, use_t=True): bse, conf_int
  const figure = clusteredShare(groups(24))!;
  expect(figure.value).toBeCloseTo(0.5, 12);
  expect(figure.standardError).toBeCloseTo(Math.sqrt((24 / 23) * 4 * 17.5) / 120, 12);
  expect(figure.interval?.high).toBeCloseTo(0.5 + 2.0686576104190406 * figure.standardError, 7);
  expect(figure.method).toEqual({ name: 'clustered-t', level: 0.95, units: 24, resamples: null, seed: null });
});

it('is unknown with fewer than 20 groups that have a grade', () => {
  expect(clusteredShare(groups(19))).toBeNull();
  expect(clusteredShare([...groups(19), { graded: 0, passed: 0 }])).toBeNull();
});

it('counts each group once, and holds for few', () => {
  const method = { name: 'group-t', level: 0.95, units: 3, resamples: null, seed: null };
  const group = (graded: number, passed: number) => ({ graded, passed });
  // Shares 1, 1, 0: mean 2/3, standard error 1/3, t(0.975; 2) = 4.302653: beyond both ends.
  const three = [group(2, 2), group(1, 1), group(1, 0)];
  expect(meanOfGroups(three)).toEqual({ value: 2 / 3, interval: { low: 0, high: 1 }, method });
  expect(meanOfGroups([...three, group(0, 0)])?.method.units).toBe(3);
  // Shares 1/2, 0, 0, 0: mean 1/8, standard error 1/8, t(0.975; 3) = 3.182446.
  const four = meanOfGroups([group(2, 1), group(1, 0), group(1, 0), group(1, 0)]);
  expect(four?.value).toBe(0.125);
  expect(four?.interval?.high).toBeCloseTo(0.125 + 3.182446 * 0.125, 5);
});

it('has no interval where groups do not differ, and is nothing without a grade', () => {
  expect(meanOfGroups([{ graded: 2, passed: 1 }])).toMatchObject({ value: 0.5, interval: null, method: { units: 1 } });
  expect(meanOfGroups([1, 3].map((graded) => ({ graded, passed: graded })))).toMatchObject({
    value: 1,
    interval: null,
  });
  expect(meanOfGroups([{ graded: 0, passed: 0 }])).toBeNull();
});
