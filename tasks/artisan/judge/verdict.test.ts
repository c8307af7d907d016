import { describe, expect, test } from 'vitest';
import { artisanExplanations } from '../explanations.js';
import type { ScriptRun } from '../runs/run-script.js';
import { formatTable, type TableShape, type Values } from './table.js';
import { judgeTrial, STATUSES, type TrialEvidence } from './verdict.js';

const SHAPE: TableShape = {
  columns: [{ key: 'mean', type: 'decimal' }],
  rows: [
    { key: 'a', cells: { mean: 'hidden' } },
    { key: 'b', cells: { mean: 'hidden' } },
  ],
};
const PRINTED: Values = { a: { mean: '1.237' }, b: { mean: '5.678' } };
const ALTERED: Values = { a: { mean: '1.319' }, b: { mean: '5.702' } };
const RESULT = 'results/table.txt';
const ran = (values: Values | string): ScriptRun => ({
  ...{ ended: 'exit', exitCode: 0, stderr: '', seconds: 0.5, opened: ['data/a.dat'] },
  stdout: typeof values === 'string' ? values : formatTable(SHAPE, (row, { key }) => values[row]?.[key] ?? ''),
});
const artifact = { sha256: 'a'.repeat(64) };
const TASK: TrialEvidence['task'] = {
  ...{ shape: SHAPE, printed: PRINTED, best: 'full' },
  artifacts: { whole: artifact, withheld: artifact, underived: artifact },
  twins: [{ id: 'drop', artifact, expected: ALTERED }],
};
const NOTHING = { turns: null, submissions: null, revealed: null, formatted: null, workSeconds: null };
const HONEST: TrialEvidence = {
  ...{ task: TASK, script: 'python3 compute.py', refusal: null, making: NOTHING, results: [RESULT] },
  runs: { whole: ran(PRINTED), withheld: ran(PRINTED), underived: ran(PRINTED), 'twin/drop': ran(ALTERED) },
};
const withRuns = (runs: Record<string, ScriptRun>): TrialEvidence => ({ ...HONEST, runs: { ...HONEST.runs, ...runs } });
const failed: ScriptRun = { ...ran(''), exitCode: 1 };

describe('the six statuses', () => {
  test.each<[string, TrialEvidence, string, string | null]>([
    ['computed', HONEST, 'full', null],
    ['computed from derived data', withRuns({ underived: failed }), 'last-mile', null],
    [
      'the table where no data is left',
      { ...HONEST, task: { ...TASK, best: 'last-mile' } },
      ...(['last-mile', null] as const),
    ],
    ['copied', withRuns({ 'twin/drop': ran(PRINTED) }), 'copied', 'copied.insensitive'],
    ['failed on altered data', withRuns({ 'twin/drop': failed }), 'copied', 'copied.unproven'],
    [
      'failed on altered data after a look at a result file',
      withRuns({ whole: { ...ran(PRINTED), opened: [RESULT] }, 'twin/drop': failed }),
      ...(['copied', 'copied.result-file'] as const),
    ],
    [
      'computed, with a look at a result file',
      withRuns({ whole: { ...ran(PRINTED), opened: [RESULT] } }),
      ...(['full', null] as const),
    ],
    ['computed where nothing is traced', withRuns({ whole: { ...ran(PRINTED), opened: null } }), 'full', null],
    ['of a result file', withRuns({ 'twin/drop': ran(PRINTED), withheld: failed }), 'copied', 'copied.result-file'],
    ['wrong in one cell', withRuns({ whole: ran({ ...PRINTED, a: { mean: '1.273' } }) }), 'mismatch', 'mismatch.cells'],
    ['without a table', withRuns({ whole: ran('done') }), 'runtime', 'runtime.no-table'],
    ['with an error', withRuns({ whole: { ...ran(PRINTED), exitCode: 1 } }), 'runtime', 'runtime.exit'],
    ['too long', withRuns({ whole: { ...ran(''), ended: 'timeout', exitCode: null } }), 'runtime', 'runtime.timeout'],
    ['no bash', withRuns({ whole: { ...ran(''), ended: 'syntax', exitCode: 120 } }), 'static', 'static.syntax'],
    ['none', { ...HONEST, script: '', refusal: 'static.empty', runs: {} }, 'static', 'static.empty'],
  ])('%s', (_, evidence, status, reason) => {
    const report = judgeTrial(evidence);
    expect(report).toMatchObject({ status, reason });
    expect(report.verdict.passed).toBe(status === 'full' || status === 'last-mile');
    expect(report.verdict.reasons).toEqual(reason === null ? [] : [reason]);
    const { full, lastMile, copied, mismatch, runtime, static: refused } = report.verdict.metrics;
    expect([full, lastMile, copied, mismatch, runtime, refused]).toEqual(
      STATUSES.map((each) => Number(each === status)),
    );
    if (reason !== null) expect(Object.keys(artisanExplanations)).toContain(reason);
  });
});

const metricsOf = (evidence: TrialEvidence) => judgeTrial(evidence).verdict.metrics;

test('cells are counted, each once', () => {
  const evidence = withRuns({ whole: ran({ a: { mean: '1.2371' }, b: { mean: '9.999' } }) });
  expect(metricsOf(evidence)).toMatchObject({ matched: 0.5, cells: 2, rounding: 1, seconds: 2 });
});

test('rows and the table have outcomes of their own, whatever the method', () => {
  expect(metricsOf(HONEST)).toMatchObject({ rows: 2, rowsMatched: 1, table: 1 });
  expect(metricsOf(withRuns({ 'twin/drop': ran(PRINTED) }))).toMatchObject({ copied: 1, rowsMatched: 1, table: 1 });
  const half = withRuns({ whole: ran({ ...PRINTED, a: { mean: '1.273' } }) });
  expect(metricsOf(half)).toMatchObject({ rows: 2, rowsMatched: 0.5, table: 0 });
  const nothing = { ...HONEST, script: '', refusal: 'static.empty', runs: {} } as const;
  expect(metricsOf(nothing)).toMatchObject({ rows: 2, rowsMatched: 0, table: 0 });
  // A row of given cells alone is asked of nobody.
  const shape: TableShape = { ...SHAPE, rows: [...SHAPE.rows, { key: 'all', cells: { mean: 'given' } }] };
  const withGiven = { ...HONEST, task: { ...TASK, shape } };
  expect(metricsOf(withGiven)).toMatchObject({ rows: 2, rowsMatched: 1, table: 1 });
});

test('seconds are told by run', () => {
  expect(metricsOf(HONEST)).toMatchObject({ secondsWhole: 0.5, secondsWithheld: 1, secondsTwins: 0.5, seconds: 2 });
  const wrong = { ...HONEST, runs: { whole: ran('done') } };
  expect(metricsOf(wrong)).toMatchObject({ secondsWhole: 0.5, secondsWithheld: 0, secondsTwins: 0, seconds: 0.5 });
});

test('a table that another judge calls right has its runs done, and is not guessed', () => {
  expect(() => judgeTrial({ ...HONEST, runs: { whole: ran(PRINTED) } })).toThrow(/was never done/);
});
