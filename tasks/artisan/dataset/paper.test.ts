import { expect, test } from 'vitest';
import { maskPaper, readPrinted, type PrintedTable } from './paper.js';
import { tableSchema } from './study-schema.js';

const PAPER = [
  'Reference: Journal 87, 1982. We find 17.947 in all, and 1,234.5 in sum.',
  'Variation   df   Squares      F',
  'Between      1   1,234.5   17.947',
  'Within      46   -3.5E-09',
  'p-value < 0.0001',
].join('\n');

const TABLE = {
  caption: 'A table of a paper',
  columns: {
    df: { type: 'integer' },
    squares: { type: 'decimal' },
    F: { type: 'decimal' },
    p: { type: 'p-value' },
  },
  rows: {
    Between: { anchor: '^Between', cells: ['df', 'squares', 'F'], given: ['df'] },
    Within: { anchor: '^Within', cells: ['df', 'squares'] },
    Test: { anchor: '^p-value', cells: ['p'] },
  },
};

const printedOf = (table: object): PrintedTable | { problems: { message: string }[] } =>
  readPrinted(PAPER, tableSchema.parse(table), { place: 'study/table/table.yaml' });
const problemsOf = (table: object): string[] => {
  const printed = printedOf(table);
  return 'problems' in printed ? printed.problems.map(({ message }) => message) : [];
};
const withRow = (row: object): object => ({ ...TABLE, rows: { ...TABLE.rows, Within: row } });

test('values are read behind their anchors', () => {
  expect(printedOf(TABLE)).toMatchObject({
    values: {
      Between: { df: '1', squares: '1,234.5', F: '17.947' },
      Within: { df: '46', squares: '-3.5E-09' },
      Test: { p: '< 0.0001' },
    },
  });
});

test('the masked paper says none of the hidden values, and the given one', () => {
  const printed = printedOf(TABLE) as PrintedTable;
  expect(maskPaper(PAPER, [printed]).split('\n')).toEqual([
    'Reference: Journal 87, 1982. We find ??.??? in all, and ?,???.? in sum.',
    'Variation   df   Squares      F',
    'Between      1   ?,???.?   ??.???',
    'Within      ??   -?.?E-??',
    'p-value < ?.????',
  ]);
});

test('an anchor that fits no line, or two, is told', () => {
  expect(problemsOf(withRow({ anchor: '^Nowhere', cells: ['df'] }))[0]).toContain(
    'study/table/table.yaml: rows.Within: the anchor fits no line of the paper',
  );
  expect(problemsOf(withRow({ anchor: 'n', cells: ['df'] }))[0]).toMatch(/the anchor fits \d lines of the paper/);
});

test('a cell without a value, or with one of another type, is told', () => {
  expect(problemsOf(withRow({ anchor: '^Within', cells: ['df', 'squares', 'F'] }))[0]).toContain(
    'rows.Within: F: the paper has no value there',
  );
  expect(problemsOf(withRow({ anchor: '^Within', cells: ['squares', 'df'] }))[0]).toContain(
    'rows.Within: df: "-3.5E-09" is no integer',
  );
});
