import { expect, test } from 'vitest';
import type { TableShape } from '../judge/table.js';
import type { ArtisanTask } from './artisan-task.js';
import { twinProblems } from './check-twins.js';

type Bounds = { low: string; high: string };

const shapeOf = (own: Bounds): TableShape => ({
  columns: [{ key: 'p', type: 'p-value' }],
  rows: [{ key: 'test', cells: { p: 'hidden' }, intervals: { p: own } }],
});

/** What is told of a table with one cell of chance, where the published value and that of each twin have these bounds. */
const told = (own: Bounds, ...altered: [mean: string, bounds: Bounds][]): string[] => {
  const artifact = { sha256: 'a' };
  const twins: ArtisanTask['twins'] = altered.map(([p, bounds], index) => ({
    ...{ id: `twin-${index + 1}`, artifact, expected: { test: { p } }, intervals: { test: { p: bounds } } },
  }));
  return twinProblems('study', {
    id: 'study-table',
    shape: shapeOf(own),
    printed: { test: { p: '0.0080' } },
    twins,
  }).map(({ message }) => message);
};

const OWN: Bounds = { low: '0.0040', high: '0.0120' };

test('a twin whose bounds leave the published value out changes it', () => {
  expect(told(OWN, ['0.0300', { low: '0.0200', high: '0.0400' }], ['0.0010', { low: '0', high: '0.0020' }])).toEqual(
    [],
  );
});

test('a twin whose bounds take the published value changes nothing: who copies it is right there', () => {
  const [first, second] = told(OWN, ['0.0150', { low: '0.0060', high: '0.0240' }]);
  expect(first).toContain('twins.twin-1: changes 0 of 1 hidden cells of study-table');
  expect(second).toContain('none changes test, p of study-table');
});

test('nor does one whose mean falls within the published bounds', () => {
  expect(told(OWN, ['0.0110', { low: '0.0090', high: '0.0130' }])).toHaveLength(2);
});

test('each twin is to change four of five cells, and each cell is to be changed on one', () => {
  const wide = ['0.0150', { low: '0.0060', high: '0.0240' }] as const;
  const told1 = told(OWN, ['0.0300', { low: '0.0200', high: '0.0400' }], [...wide]);
  expect(told1).toEqual([expect.stringContaining('twins.twin-2: changes 0 of 1')]);
});
