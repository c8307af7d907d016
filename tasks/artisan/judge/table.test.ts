import { describe, expect, test } from 'vitest';
import { formatTable, judgeTable, masked, readTable, type TableShape } from './table.js';

const SHAPE: TableShape = {
  columns: [
    { key: 'df', type: 'integer' },
    { key: 'F', type: 'decimal' },
  ],
  rows: [
    { key: 'Between', cells: { df: 'given', F: 'hidden' } },
    { key: 'Within', cells: { df: 'hidden' } },
  ],
};
const VALUES = { Between: { df: '1', F: '17.95' }, Within: { df: '46' } };
const block = (text: string, info = 'table'): string => `Some words.\n\`\`\`${info}\n${text}\n\`\`\`\n`;
const RIGHT = '| | df | F |\n|---|---|---|\n| Between | 1 | 17.95 |\n| Within | 46 | |';

describe('the same table', () => {
  test.each([
    ['as it was asked for', block(RIGHT)],
    [
      'with its rows in another order',
      block('| | df | F |\n|---|---|---|\n| Within | 46 | |\n| Between | 1 | 17.95 |'),
    ],
    [
      'with its columns in another order',
      block('| x | F | df |\n|---|---|---|\n| Between | 17.95 | 1 |\n| Within | | 46 |'),
    ],
    [
      'without the outer bars of its right side',
      block('| | df | F\n|---|---|---\n| Between | 1 | 17.95\n| Within | 46 |'),
    ],
    [
      'with keys in other letters',
      block('| | DF | f |\n|:--|--:|---|\n| **between** | 1 | 17.95 |\n| WITHIN | 46 | |'),
    ],
    ['with more than was asked for', block(`${RIGHT}\n| Total | 47 | 3 |`)],
    ['with words around it in the block', block(`Table 1\n\n${RIGHT}\n\nThat is all.`)],
    ['with a given cell that is wrong: it counts for nothing', block(RIGHT.replace('| 1 |', '| 9 |'))],
    ['as the last of two blocks', block(RIGHT.replace('17.95', '1')) + block(RIGHT)],
    ['with the line ends of another system', block(RIGHT).replaceAll('\n', '\r\n')],
  ])('%s is right', (_, output) => {
    expect(judgeTable(SHAPE, VALUES, output)).toMatchObject({ right: true, problem: null, rows: { Between: true } });
  });
});

describe('another table', () => {
  test.each([
    ['with one digit wrong', block(RIGHT.replace('17.95', '17.59')), 'mismatch'],
    [
      'with labels swapped',
      block(RIGHT.replace('Between', 'X').replace('Within', 'Between').replace('X', 'Within')),
      'missing',
    ],
    ['with columns swapped', block(RIGHT.replace('| df | F |', '| F | df |')), 'mismatch'],
    ['without the row', block(RIGHT.replace('| Between | 1 | 17.95 |\n', '')), 'missing'],
    ['without the column', block('| | df |\n|---|---|\n| Between | 1 |\n| Within | 46 |'), 'missing'],
    ['with the row twice', block(`${RIGHT}\n| Between | 1 | 17.95 |`), 'unreadable'],
    ['with the column twice', block('| | F | F |\n|---|---|---|\n| Between | 17.95 | 17.95 |'), 'unreadable'],
    ['as the first of two blocks', block(RIGHT) + block(RIGHT.replace('17.95', '1')), 'mismatch'],
    ['still masked', block(RIGHT.replace('17.95', '??.??')), 'unreadable'],
    ['with a row that is broken off', block('| | df | F |\n|---|---|---|\n| Between | 1'), 'missing'],
  ])('%s is wrong', (_, output, outcome) => {
    const judged = judgeTable(SHAPE, VALUES, output);
    expect(judged).toMatchObject({ right: false, problem: null, rows: { Between: false } });
    expect(judged.cells[0]?.outcome).toBe(outcome);
  });

  test.each([
    ['no block', RIGHT, /no block of the kind/],
    ['a block of another kind', block(RIGHT, 'text'), /no block of the kind/],
    ['a block that is not closed', `\`\`\`table\n${RIGHT}`, /no block of the kind/],
    ['an empty block', block(''), /no Markdown table/],
    ['a block without a line of dashes', block('| | df |\n| Between | 1 |'), /no Markdown table/],
    ['nothing', '', /no block of the kind/],
  ])('%s is told', (_, output, problem) => {
    const judged = judgeTable(SHAPE, VALUES, output);
    expect(judged.right).toBe(false);
    expect(judged.problem).toMatch(problem);
    expect(judged.cells.map(({ outcome }) => outcome)).toEqual(['missing', 'missing']);
  });
});

test('a table that was formatted is read again; masked, it says no digit', () => {
  const text = formatTable(
    SHAPE,
    (row, { key }) => (VALUES as Record<string, Record<string, string>>)[row]?.[key] ?? '',
  );
  expect(judgeTable(SHAPE, VALUES, text)).toMatchObject({ right: true });
  expect(masked('-1.5E-09')).toBe('-?.?E-??');
});

test('a bar within a cell stays in it', () => {
  const shape: TableShape = {
    columns: [{ key: 'a|b', type: 'text' }],
    rows: [{ key: 'x|y', cells: { 'a|b': 'hidden' } }],
  };
  const text = formatTable(shape, () => 'v|w');
  const table = readTable(text);
  expect(typeof table === 'string' ? table : table.cells('x|y', 'a|b')).toBe('v|w');
});
