import { expect, test } from 'vitest';
import { hiddenCells, judgeTable, formatTable, type TableShape, type Values } from '../../judge/table.js';
import { confirmable, feedbackText, revealedCells, type Told } from './feedback.js';
import { formattedTable } from './table-tools.js';

const NAMES = Array.from({ length: 12 }, (_, index) => `row ${index + 1}`);
const SHAPE: TableShape = {
  columns: [
    { key: 'n', type: 'integer' },
    { key: 'mean', type: 'decimal' },
  ],
  rows: NAMES.map((key) => ({ key, cells: { n: 'given' as const, mean: 'hidden' as const } })),
};
const PRINTED: Values = Object.fromEntries(NAMES.map((key, index) => [key, { n: '1', mean: `${31 + index}.25` }]));
const key = (digit: string): string => digit.repeat(64);
const hidden = (shape: TableShape): string[] => hiddenCells(shape).map(({ row }) => row);
const said = (values: Values): string => formatTable(SHAPE, (row, column) => values[row]?.[column.key] ?? '');
const run = { ended: 'exit' as const, exitCode: 0, stdout: '', stderr: '', seconds: 1, opened: null };

function told(values: Values): Told {
  const shape = confirmable(SHAPE, key('7'));
  const table = judgeTable(shape, PRINTED, said(values));
  return { end: table.right ? 'accepted' : 'wrong', reason: null, shape, run, table };
}

test('of a fifth of the cells, and of two where there are more, nothing is ever told', () => {
  expect(hidden(confirmable(SHAPE, key('7')))).toHaveLength(9);
  expect(hidden(confirmable({ ...SHAPE, rows: SHAPE.rows.slice(0, 3) }, key('7')))).toHaveLength(1);
  expect(hidden(confirmable({ ...SHAPE, rows: SHAPE.rows.slice(0, 2) }, key('7')))).toHaveLength(1);
  expect(hidden(confirmable({ ...SHAPE, rows: SHAPE.rows.slice(0, 1) }, key('7')))).toHaveLength(1);
  // The same key draws the same; another one others.
  expect(hidden(confirmable(SHAPE, key('7')))).toEqual(hidden(confirmable(SHAPE, key('7'))));
  const draws = ['1', '2', '3', '4', '5', '6'].map((digit) => hidden(confirmable(SHAPE, key(digit))).join());
  expect(new Set(draws).size).toBeGreaterThan(1);
});

test('a cell that is wrong is told so, without its value; one that is never confirmed looks the same right or wrong', () => {
  const shape = confirmable(SHAPE, key('7'));
  const [open] = hidden(shape);
  const [closed] = NAMES.filter((name) => !hidden(shape).includes(name));
  const off = { ...PRINTED, [open ?? '']: { mean: '77.7' } };
  const text = feedbackText(told(off), { number: 2, most: 5, feedback: 'cells' });
  expect(text).toMatch(/^Submission 2 of 5\. The script runs; its table is not the published one\./);
  expect(text.match(/\(wrong\)/g)).toHaveLength(1);
  expect(text).not.toContain(PRINTED[open ?? '']?.['mean'] ?? '-');
  expect(text).not.toContain(PRINTED[closed ?? '']?.['mean'] ?? '-');
  const both = feedbackText(told({ ...off, [closed ?? '']: { mean: '88.8' } }), {
    number: 2,
    most: 5,
    feedback: 'cells',
  });
  expect(both).toBe(text);
  expect(told({ ...PRINTED, [closed ?? '']: { mean: '88.8' } }).end).toBe('accepted');
});

test.each([1, 2, 3])('of a table with %i hidden cells not every other one is accepted', (count) => {
  const shape = confirmable({ ...SHAPE, rows: SHAPE.rows.slice(0, count) }, key('7'));
  const judged = judgeTable(shape, PRINTED, said(Object.fromEntries(NAMES.map((name) => [name, { mean: '77.7' }]))));
  expect(judged.right).toBe(false);
  const wrong: Told = { end: 'wrong', reason: null, shape, run, table: judged };
  expect(feedbackText(wrong, { number: 1, most: 5, feedback: 'cells' }).match(/\(wrong\)/g)).toHaveLength(1);
  expect(revealedCells(wrong, 'cells')).toEqual([]);
});

test('what is told counts as revealed, and no more is told than the level allows', () => {
  const off = told({ ...PRINTED, [hidden(confirmable(SHAPE, key('7')))[0] ?? '']: { mean: '77.7' } });
  expect(revealedCells(off, 'cells')).toHaveLength(8);
  expect(revealedCells(off, 'status')).toEqual([]);
  expect(revealedCells(told(PRINTED), 'status')).toHaveLength(9);
  expect(revealedCells(told(PRINTED), 'none')).toEqual([]);
  expect(feedbackText(off, { number: 5, most: 5, feedback: 'status' })).toBe(
    'Submission 5 of 5. The script runs; its table is not the published one.\n\nThat was the last one; it counts as it is.',
  );
});

test.each<[string, Partial<Told>, RegExp]>([
  [
    'an error',
    { end: 'failed', table: null, run: { ...run, exitCode: 3, stderr: 'x\nno data' } },
    /exit status 3: no data/,
  ],
  ['a limit', { end: 'failed', table: null, run: { ...run, ended: 'timeout' } }, /at its limit \(timeout\)/],
  ['bad bash', { end: 'failed', table: null, run: { ...run, ended: 'syntax' } }, /cannot parse/],
  ['no table', { end: 'failed', table: judgeTable(SHAPE, PRINTED, 'x') }, /prints no table: the output has no block/],
  ['an empty script', { end: 'refused', reason: 'static.empty', table: null, run: null }, /It is not run: it is empty/],
  ['a copy', { end: 'copied', reason: 'copied.result-file' }, /comes from a file that holds results/],
])('%s is told in a sentence', (_, difference, expected) => {
  const text = feedbackText({ ...told(PRINTED), ...difference }, { number: 1, most: 5, feedback: 'cells' });
  expect(text).toMatch(expected);
});

test('raw values are written to the precision that is asked for', () => {
  const shape: TableShape = {
    columns: [
      { key: 'd', type: 'decimal' },
      { key: 'e', type: 'decimal' },
      { key: 'p', type: 'percent' },
      { key: 't', type: 'text' },
    ],
    rows: [{ key: 'r', cells: { d: 'hidden', e: 'hidden', p: 'hidden', t: 'hidden' } }],
  };
  const printed = { r: { d: '1.237', e: '3.53E-09', p: '25.7%', t: 'HC0' } };
  const values = { r: { d: 9.87654, e: 0.0000123456, p: 12.34, t: 'HC3' } };
  expect(formattedTable(shape, printed, values)).toContain('| r | 9.877 | 1.23e-5 | 12.3% | HC3 |');
  expect(formattedTable(shape, printed, { r: { d: 'nothing' } })).toContain('| r | nothing |  |  |  |');
});
