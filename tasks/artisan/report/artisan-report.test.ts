import { expect, test } from 'vitest';
import type { RecordedReview } from '../../../src/contract/verdict.js';
import { campaignSpec, systemSpec } from '../../../src/fakes/suite-bench.js';
import type { TrialRow } from '../../../src/ports/records.js';
import { reportStatuses } from './artisan-report.js';
import { campaignFindings } from './findings.js';
import { studyShare } from './papers.js';
import { reviewAgreement } from './reviews.js';

const agent = (id: string, options = {}) => systemSpec({ id, generator: 'agent', model: 'm', options });
const spec = campaignSpec({ suite: 'artisan', systems: [agent('whole'), agent('bare', { tools: 'bash' })] });

function trial(systemId: string, taskId: string, status: string, more: Partial<TrialRow> = {}): TrialRow {
  const isPassed = status === 'full' || status === 'lastMile';
  return {
    ...{ id: `c/${taskId}/${systemId}/1`, campaignId: 'c', taskId, systemId, repeat: 1, group: taskId.slice(0, 1) },
    ...{
      outcome: isPassed ? 'passed' : 'failed',
      reason: isPassed ? null : `${status}.x`,
      startedAt: null,
      endedAt: null,
    },
    ...{ costMicroUsd: 10_000, metrics: { [status]: 1, matched: isPassed ? 1 : 0.5 } },
    ...more,
  } as TrialRow;
}

const TRIALS = [
  ...[
    trial('whole', 'a1', 'full'),
    trial('whole', 'a2', 'full'),
    trial('whole', 'b1', 'lastMile'),
    trial('whole', 'c1', 'copied'),
  ],
  ...[
    trial('bare', 'a1', 'full'),
    trial('bare', 'a2', 'mismatch'),
    trial('bare', 'b1', 'runtime'),
    trial('bare', 'c1', 'static'),
  ],
];
const input = { spec, trials: TRIALS, suiteFolder: '.', reviews: [] };

test('the published table’s form stands beside what was published, with the difference said', async () => {
  const { tables, metrics } = await reportStatuses(input);
  const [statuses, costs, papers, ablations] = tables;
  expect(statuses?.rows.map((row) => [row[0], row[1], row[2], ...row.slice(5)])).toEqual([
    ['whole', 4, 3, 2, 1, 1, 0, 0, 0],
    ['bare', 4, 1, 1, 0, 0, 1, 1, 1],
    ['Artisan (published)', 60, 44, null, null, null, null, null, null],
    ['mini-swe-agent (published)', 60, 14, null, null, null, null, null, null],
  ]);
  expect(statuses?.notes.join(' ')).toMatch(/60 other tables of 23 papers/);
  expect(costs?.rows[0]?.slice(0, 2)).toEqual(['whole', 0.01]);
  expect(papers?.rows).toEqual([
    ['a', '2 / 2', '1 / 2'],
    ['b', '1 / 1', '0 / 1'],
    ['c', '0 / 1', '0 / 1'],
  ]);
  expect(ablations?.rows[0]?.slice(0, 4)).toEqual(['tools', 'whole (all)', 'bare (bash)', 4]);
  expect(ablations?.rows[0]?.slice(5)).toEqual([0, 2, '0.500']);
  expect(metrics).toMatchObject({ whole: { graded: 4, full: 2, 'last-mile': 1 } });
});

test('an interval by paper counts each paper once', () => {
  // Shares 1, 1, 0: mean 2/3, standard error 1/3, t(0.975; 2) = 4.302653: beyond both ends.
  expect(studyShare(TRIALS.slice(0, 4))).toEqual({ value: 2 / 3, interval: { low: 0, high: 1 } });
  // Shares 1/2, 0, 0, 0: mean 1/8, standard error 1/8, t(0.975; 3) = 3.182446.
  const four = [...TRIALS.slice(4), trial('bare', 'd1', 'static')];
  const share = studyShare(four) as { value: number; interval: { low: number; high: number } };
  expect(share.value).toBe(0.125);
  expect(share.interval.high).toBeCloseTo(0.125 + 3.182446 * 0.125, 5);
  expect(studyShare([])).toBeNull();
});

const review = (id: string, judged: string, status: string, author = 'a'): RecordedReview => ({
  ...{ trial: id, judged, status, author, reason: 'r', at: '2026-01-01T00:00:00Z' },
});

test('agreement is Cohen’s kappa over the last review of each trial, and both counts are shown', async () => {
  const reviews = [
    ...[review('c/a1/whole/1', 'full', 'copied'), review('c/a1/whole/1', 'full', 'full', 'b')],
    ...[review('c/c1/whole/1', 'copied', 'full'), review('c/b1/bare/1', 'copied', 'copied')],
  ];
  // Judged full, copied, copied; said full, full, copied: 2 of 3 agree, by chance 4/9.
  const agreement = reviewAgreement(reviews);
  expect(agreement).toMatchObject({ trials: 3, agreed: 2 });
  expect(agreement?.kappa).toBeCloseTo((2 / 3 - 4 / 9) / (5 / 9), 12);
  expect(reviewAgreement([])).toBeNull();
  const { tables } = await reportStatuses({ ...input, reviews });
  const shown = tables.find(({ title }) => title === 'Reviews');
  expect(shown?.rows).toHaveLength(4);
  expect(shown?.notes[0]).toBe('Passed: 4 as judged, 5 with reviews in the place of verdicts. Scores are as judged.');
});

test('a cell in which two systems agree on another value is a finding, and others are none', async () => {
  const near = (system: string, task = 'a1') => trial(system, task, 'mismatch', { reason: 'mismatch.cells' });
  const printed: Record<string, string> = {
    'c/a1/whole/1': '3.1',
    'c/a1/bare/1': '3.10',
    'c/a2/whole/1': '5',
    'c/a2/bare/1': '6',
  };
  const evidence = async (id: string): Promise<Buffer> => {
    const cell = { row: 'r', column: 'v', outcome: 'mismatch', given: printed[id] };
    return Buffer.from(JSON.stringify({ table: { cells: [cell] } }));
  };
  const trials = [near('whole'), near('bare'), near('whole', 'a2'), near('bare', 'a2')];
  expect(await campaignFindings({ ...input, trials, evidence })).toEqual([
    {
      ...{ task: 'a1', row: 'r', column: 'v', found: '3.1', systems: ['bare', 'whole'] },
      ...{ reason: '2 systems print one other value', state: 'proposed', reviewer: null },
    },
  ]);
});
