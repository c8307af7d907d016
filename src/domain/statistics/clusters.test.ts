import { expect, it } from 'vitest';
import { clusteredShare } from './clusters.js';

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
