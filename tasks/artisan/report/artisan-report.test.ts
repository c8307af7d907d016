import { expect, test } from 'vitest';
import type { RecordedReview } from '../../../src/contract/verdict.js';
import { campaignSpec, systemSpec } from '../../../src/fakes/suite-bench.js';
import type { TrialRow } from '../../../src/ports/records.js';
import { reportStatuses } from './artisan-report.js';
import { campaignFindings, exportedFindings } from './findings.js';
import { reviewAgreement } from './reviews.js';

const agent = (id: string, options = {}) => systemSpec({ id, generator: 'agent', model: 'm', options });
const spec = campaignSpec({ suite: 'artisan', systems: [agent('whole'), agent('bare', { tools: 'bash' })] });

const matchedOf = (matched: number) => ({ matched, rowsMatched: matched, table: Number(matched === 1) });

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
    costMicroUsd: 10_000,
    // A copied table is right; of a wrong one half, in one of its two rows; of none nothing.
    metrics: {
      ...{ [status]: 1, cells: 4, rows: 2, turns: 3, formatted: 1, workSeconds: 8 },
      ...matchedOf(isPassed || status === 'copied' ? 1 : status === 'mismatch' ? 0.5 : 0),
      ...{ secondsWhole: 2, secondsWithheld: isPassed ? 1 : 0, secondsTwins: isPassed ? 4 : 0 },
    },
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
  const { tables, metrics, figures } = await reportStatuses(input);
  const [statuses, , papers, costs, , ablations] = tables;
  expect(statuses?.rows.map((row) => [row[0], row[1], row[2], ...row.slice(5)])).toEqual([
    ['whole', 4, 3, 2, 1, 1, 0, 0, 0],
    ['bare', 4, 1, 1, 0, 0, 1, 1, 1],
    ['Artisan (published)', 60, 44, null, null, null, null, null, null],
    ['mini-swe-agent (published)', 60, 14, null, null, null, null, null, null],
  ]);
  // Shares of the papers a, b, c.
  const whole = { value: 2 / 3, interval: { low: 0, high: 1 } };
  const bare = { value: 1 / 6, interval: { low: 0, high: expect.closeTo(1 / 6 + 4.302653 / 6, 5) as number } };
  expect(statuses?.rows.slice(0, 2).map(([, , , share, cells]) => [share, cells])).toEqual([
    [whole, 1],
    [bare, 0.375],
  ]);
  const method = { name: 'group-t', level: 0.95, units: 3, resamples: null, seed: null };
  expect(metrics).toMatchObject({
    whole: { byPaper: { ...whole, method }, partialCredit: 1, right: { tables: { right: 4, passed: 3, of: 4 } } },
    bare: { byPaper: { ...bare, method }, partialCredit: 0.375, right: { tables: { right: 1, passed: 1, of: 4 } } },
  });
  expect(statuses?.notes.join(' ')).toMatch(/60 other tables of 23 papers/);
  expect(costs?.rows[0]?.slice(0, 2)).toEqual(['whole', 0.01]);
  expect(papers?.rows).toEqual([
    ['a', '2 / 2, cells 100 %', '1 / 2, cells 75 %'],
    ['b', '1 / 1, cells 100 %', '0 / 1, cells 0 %'],
    ['c', '0 / 1, cells 100 %', '0 / 1, cells 0 %'],
  ]);
  expect(ablations?.rows[0]?.slice(0, 4)).toEqual(['tools', 'whole (all)', 'bare (bash)', 4]);
  expect(ablations?.rows[0]?.slice(5)).toEqual([0, 2, '0.500']);
  expect(figures).toMatchObject({
    published: [
      { graded: 60, passed: 44, usd: 0.45, wallSeconds: 2880 },
      { graded: 60, passed: 14, usd: null, wallSeconds: null },
    ],
    ablations: [
      {
        ...{ option: 'tools', of: { system: 'whole', value: 'all' }, against: { system: 'bare', value: 'bash' } },
        ...{ tasks: 4, gained: 0, lost: 2, p: 0.5 },
        difference: { value: -0.5, method: { name: 'task-bootstrap', units: 4, seed: spec.seed } },
      },
    ],
    findings: [],
  });
  expect(metrics).toMatchObject({ whole: { graded: 4, full: 2, 'last-mile': 1 } });
});

test('cells, rows, tables and papers have outcomes of their own, beside which the method stands', async () => {
  const { tables, metrics } = await reportStatuses(input);
  const right = tables.find(({ title }) => title === 'Right cells, rows, tables and papers');
  expect(right?.rows).toEqual([
    // The copied table of c is right, and its paper did not pass.
    ['whole', '16 / 16', '8 / 8', '4 / 4', '3 / 3', '2 / 3'],
    ['bare', '6 / 16', '3 / 8', '1 / 4', '0 / 3', '0 / 3'],
  ]);
  expect(metrics).toMatchObject({
    whole: {
      right: { cells: { right: 16, of: 16 }, papers: { right: 3, passed: 2, of: 3 } },
      papers: { c: { graded: 1, right: true, passed: false, tables: { right: 1, passed: 0, of: 1 } } },
    },
    bare: { papers: { a: { graded: 2, right: false, passed: false, tables: { right: 1, passed: 1, of: 2 } } } },
  });
  // Graded before rows were counted.
  const old = [trial('whole', 'a1', 'full', { metrics: { full: 1, matched: 1 } })];
  const [, before] = (await reportStatuses({ ...input, trials: old })).tables;
  expect(before?.rows).toEqual([
    ['whole', null, null, '1 / 1', '1 / 1', '1 / 1'],
    ['bare', null, null, null, null, null],
  ]);
});

test('cost and time are told part by part, formatting and opinions among them', async () => {
  const reuse = { reusedCalls: 0, savedMicroUsd: 0 };
  const of = { systemId: 'whole', group: 'a', model: 'm', tokens: 1, withoutUsage: 0, implausible: 0, ...reuse };
  const stage = { systemId: 'whole', group: 'a', owner: 'trial' as const, attempts: 24, wallSeconds: 120 };
  const usage = {
    calls: [
      { ...of, stage: 'generate' as const, purpose: 'generate', calls: 12, costMicroUsd: 36_000 },
      { ...of, stage: 'execute' as const, purpose: 'opinion', calls: 3, costMicroUsd: 4000 },
    ],
    stages: [{ ...stage, stage: 'generate' as const }],
  };
  const trials = TRIALS.map((each) => ({
    ...each,
    ...{ startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:01:30Z' },
    metrics: { ...each.metrics, seconds: 5, ...(each.systemId === 'whole' ? { submissions: 2, revealed: 1 } : {}) },
  }));
  const { tables, metrics } = await reportStatuses({ ...input, trials, usage });
  const parts = tables.find(({ title }) => title === 'Cost and time of a task by part');
  expect(parts?.rows.slice(0, 7)).toEqual([
    ['whole', 'agent turns', '3.0', 0.009, 30],
    ['whole', 'of it commands, submissions', null, 0, 8],
    ['whole', 'of it formatting', '1.0', 0, null],
    ['whole', 'whole run', null, 0, 2],
    // Done where the table was right and followed from the data: three of four.
    ['whole', 'withheld runs', null, 0, 0.75],
    ['whole', 'twin runs', null, 0, 3],
    ['whole', 'opinion', '0.8', 0.001, null],
  ]);
  expect(metrics).toMatchObject({
    whole: {
      parts: [
        { part: 'turns', times: 3, usd: 0.009, seconds: 30 },
        { part: 'work', times: null, usd: 0, seconds: 8 },
        { part: 'formatting', times: 1, usd: 0, seconds: null },
        { part: 'whole', times: null, usd: 0, seconds: 2 },
        { part: 'withheld', times: null, usd: 0, seconds: 0.75 },
        { part: 'twins', times: null, usd: 0, seconds: 3 },
        { part: 'opinion', times: 0.75, usd: 0.001, seconds: null },
      ],
    },
  });
  const means = tables.find(({ title }) => title === 'A task on average');
  expect(means?.rows.slice(0, 3)).toEqual([
    ['whole', 0.01, 90, 5, '3.0', '2.0', '1.0'],
    ['bare', 0.01, 90, 5, '3.0', null, null],
    ['Artisan (published)', 0.45, 2880, null, null, null, null],
  ]);
  const same = { usd: 0.01, wallSeconds: 90, judgingSeconds: 5, turns: 3 };
  expect(metrics).toMatchObject({
    whole: { means: { ...same, submissions: 2, revealed: 1 } },
    bare: { means: { ...same, submissions: null, revealed: null } },
  });
  expect(parts?.notes.join(' ')).toMatch(/asks no model: it costs nothing/);
});

test('a regrade changes no time of a trial: it made and ran nothing', async () => {
  const made = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:01:30Z' };
  const regraded = { n: 1, outcome: 'failed' as const, reason: null, made };
  const later = { startedAt: '2026-01-02T00:00:00Z', endedAt: '2026-01-02T00:00:01Z', regraded };
  const trials = [trial('whole', 'a1', 'full', later), trial('whole', 'a2', 'full', made)];
  expect((await reportStatuses({ ...input, trials })).metrics).toMatchObject({ whole: { means: { wallSeconds: 90 } } });
});

const review = (id: string, judged: string, status: string, author = 'a'): RecordedReview => ({
  ...{ trial: id, judged, status, author, reason: 'r', at: '2026-01-01T00:00:00Z' },
});

test('agreement is Cohen’s kappa over the last review of each trial, and both counts are shown', async () => {
  const none = (await reportStatuses(input)).tables.find(({ title }) => title === 'Judges and people');
  expect(none?.rows).toEqual([
    ['whole', 4, 3, 3, 0, 0, null],
    ['bare', 4, 1, 1, 0, 0, null],
    ['all', 8, 4, 4, 0, 0, null],
  ]);
  expect(none?.notes[0]).toMatch(/^Nobody has reviewed a trial/);
  const reviews = [
    ...[review('c/a1/whole/1', 'full', 'copied'), review('c/a1/whole/1', 'full', 'full', 'b')],
    ...[review('c/c1/whole/1', 'copied', 'full'), review('c/b1/bare/1', 'copied', 'copied')],
  ];
  // Judged full, copied, copied; said full, full, copied: 2 of 3 agree, by chance 4/9.
  const agreement = reviewAgreement(reviews);
  expect(agreement).toMatchObject({ trials: 3, agreed: 2 });
  expect(agreement.kappa).toBeCloseTo((2 / 3 - 4 / 9) / (5 / 9), 12);
  expect(reviewAgreement([])).toEqual({ trials: 0, agreed: 0, kappa: null });
  const { tables, metrics, figures } = await reportStatuses({ ...input, reviews });
  const shown = tables.find(({ title }) => title === 'Reviews');
  expect(shown?.rows).toHaveLength(4);
  expect(tables.find(({ title }) => title === 'Judges and people')?.rows).toEqual([
    ['whole', 4, 3, 4, 2, 1, '0.00'],
    ['bare', 4, 1, 1, 1, 1, null],
    ['all', 8, 4, 5, 3, 2, '0.40'],
  ]);
  expect(figures).toMatchObject({ reviews: { judged: 4, reviewed: 5, trials: 3, agreed: 2, all: reviews } });
  expect(metrics).toMatchObject({
    whole: { reviews: { graded: 4, judged: 3, reviewed: 4, trials: 2, agreed: 1, kappa: 0 } },
    bare: { reviews: { graded: 4, judged: 1, reviewed: 1, trials: 1, agreed: 1, kappa: null } },
  });
  // A system of such a name is one like any other.
  const named = { ...spec, systems: [agent('reviews')] };
  const own = [trial('reviews', 'a1', 'full')];
  expect((await reportStatuses({ ...input, spec: named, trials: own })).metrics).toMatchObject({
    reviews: { full: 1 },
  });
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
      ...{ trials: ['c/a1/bare/1', 'c/a1/whole/1'], reason: '2 systems print one other value' },
      ...{ state: 'proposed', reviewer: null },
    },
  ]);
  // With what is printed, and what the dataset knows; a person who lets one of these trials pass confirms the finding.
  const disagreements = [
    { row: 'r', column: 'w', printed: '7', reason: 'transcription', evidence: 'The data says 8.', reviewer: 'dataset' },
  ];
  const content = { id: 'a1', printed: { r: { v: '3.2', w: '8' } }, disagreements };
  const task = async (id: string): Promise<Buffer | null> =>
    id === 'a1' ? Buffer.from(JSON.stringify(content)) : null;
  const reviews = [review('c/a1/bare/1', 'mismatch', 'full', 'somebody')];
  expect(await exportedFindings({ ...input, trials, evidence, task, reviews })).toEqual([
    {
      ...{ source: 'dataset', task: 'a1', place: { row: 'r', column: 'w' }, printed: '7', found: '8' },
      ...{ reason: 'transcription', evidence: ['The data says 8.'], state: 'confirmed', reviewer: 'dataset' },
    },
    {
      ...{ source: 'campaign', task: 'a1', place: { row: 'r', column: 'v' }, printed: '3.2', found: '3.1' },
      ...{ reason: '2 systems print one other value', evidence: ['c/a1/bare/1', 'c/a1/whole/1'] },
      ...{ state: 'confirmed', reviewer: 'somebody' },
    },
  ]);
});
