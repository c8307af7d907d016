import { expect, it } from 'vitest';
import type { TrialRow } from '../../src/ports/records.js';
import { repocraftMetrics, repocraftRates } from './metrics.js';

const row = (parts: Partial<TrialRow>): TrialRow =>
  ({ group: 'p', category: 'p.a', metrics: {}, ...parts }) as TrialRow;
const passed = (parts: Partial<TrialRow> = {}) =>
  row({ outcome: 'passed', metrics: { localized: 1, voted: 1, voted_lenient: 1 }, ...parts });
const failed = (metrics: TrialRow['metrics'], parts: Partial<TrialRow> = {}) =>
  row({ outcome: 'failed', metrics, ...parts });

it('counts shares of graded trials only', () => {
  const rows = [
    passed(),
    failed({ localized: 1, voted: 0, voted_lenient: 1 }),
    failed({ localized: 0, voted: 0, voted_lenient: 0 }, { category: 'p.b' }),
    passed({ group: 'q', category: 'q.a' }),
    row({ outcome: 'errored' }),
    row({ outcome: null }),
  ];
  expect(repocraftMetrics(rows)).toEqual({
    graded: 4,
    localization_rate: 0.75,
    voting_rate: 0.5,
    voting_rate_lenient: 0.75,
    pass_rate: 0.5,
    pass_rate_macro: (1 / 3 + 1) / 2,
    coverage_passed: 2 / 3,
    coverage_voted: 2 / 3,
  });
});

it('gives null where nothing was searched or graded', () => {
  expect(repocraftRates([passed({ metrics: { localized: null, voted: 1 } })])).toEqual({
    vote_rate: 1,
    localized_rate: null,
  });
  expect(repocraftRates([])).toEqual({ vote_rate: null, localized_rate: null });
});
