import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { judgeTable, readTable, type TableShape } from '../judge/table.js';
import { copiesByRule } from './copies.js';

const SHAPE: TableShape = {
  columns: [
    { key: 'Std. Error', type: 'decimal' },
    { key: 'p value', type: 'p-value' },
  ],
  rows: [
    { key: '(Intercept)', cells: { 'Std. Error': 'hidden', 'p value': 'given' } },
    { key: "I(x^2)'s", cells: { 'Std. Error': 'hidden', 'p value': 'hidden' } },
  ],
};
const PRINTED = {
  '(Intercept)': { 'Std. Error': '0.018', 'p value': '< 2e-16' },
  "I(x^2)'s": { 'Std. Error': '\u22121.25', 'p value': '0.04' },
};
/** Computes another table. */
const REFERENCE = `cat <<'END'
\`\`\`table
| | p value | Std. Error |
|---|---|---|
| (Intercept) | 0.1 | 0.5 |
| I(x^2)'s | 0.2 | 0.7 |
\`\`\`
END
`;
const cell = { row: "I(x^2)'s", column: 'Std. Error' };
const outputs = Object.fromEntries(
  Object.entries(copiesByRule({ shape: SHAPE, printed: PRINTED }, { reference: REFERENCE, cell })).map(
    ([name, script]) => [name, execFileSync('bash', ['-c', script], { encoding: 'utf8' })] as const,
  ),
);

test('the table in plain text, and encoded, is the printed one', () => {
  for (const name of ['printed', 'printed-encoded'])
    expect(judgeTable(SHAPE, PRINTED, outputs[name] ?? '').right, name).toBe(true);
});

test('one cell among computed ones is the printed one, and no other', () => {
  const table = readTable(outputs['printed-cell'] ?? '');
  if (typeof table === 'string') throw new Error(table);
  expect(table.cells(cell.row, cell.column)).toBe('\u22121.25');
  expect(table.cells(cell.row, 'p value')).toBe('0.2');
  expect(table.cells('(Intercept)', cell.column)).toBe('0.5');
});
