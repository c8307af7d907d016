import { expect, it } from 'vitest';
import type { ResultColumn } from '../suite/report.js';
import { resultRates } from './result-rates.js';

const COLUMNS: readonly ResultColumn[] = [
  { id: 'localized', title: 'localized', metric: 'localized', absent: 'left-out' },
  { id: 'voted', title: 'voted', metric: 'voted', absent: 'zero' },
];
const unsearched = { outcome: 'passed', metrics: { localized: null, voted: 1 }, trials: 2 } as const;
const lost = { outcome: 'failed', metrics: { localized: 0, voted: 0 }, trials: 1 } as const;
const limited = { outcome: 'failed', metrics: {}, trials: 1 } as const;
const errored = { outcome: 'errored', metrics: {}, trials: 5 } as const;

it('are shares of graded trials; those without the metric are left out, or count as 0', () => {
  expect(resultRates(COLUMNS, [unsearched, errored])).toEqual({ localized: null, voted: 1 });
  expect(resultRates(COLUMNS, [unsearched, lost])).toEqual({ localized: 0, voted: 2 / 3 });
  expect(resultRates(COLUMNS, [unsearched, lost, limited])).toEqual({ localized: 0, voted: 2 / 4 });
  expect(resultRates(COLUMNS, [errored])).toEqual({ localized: null, voted: null });
});

it('are means where a metric is a fraction', () => {
  const halves = [
    { outcome: 'passed', metrics: { localized: 1, voted: 1 }, trials: 2 },
    { outcome: 'failed', metrics: { localized: 0.25, voted: null }, trials: 1 },
  ] as const;
  expect(resultRates(COLUMNS, halves)).toEqual({ localized: 0.75, voted: 2 / 3 });
});
