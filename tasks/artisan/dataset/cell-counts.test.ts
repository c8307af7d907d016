import { expect, test } from 'vitest';
import { cellsSection } from './cell-counts.js';
import { studySchema, tableSchema, type StudySource } from './study-schema.js';

const sha256 = 'a'.repeat(64);

/** A study with one table of these columns and rows. */
function study(id: string, columns: object, rows: Record<string, { cells: string[]; given?: string[] }>): StudySource {
  const anchored = Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, { anchor: key, ...row }]));
  const jitter = { file: 'd.csv', drop: 1, seed: 1 };
  return {
    id,
    study: studySchema.parse({
      ...{ title: 'A title of ten letters', reference: 'Somebody, somewhere', licence: `Licence of ${id}` },
      ...{ image: 'artisan-r', package: { library: 'artisan-r-library' } },
      ...{ paper: { from: 'p', sha256, lines: [1, 2] }, artifact: [{ path: 'd.csv', role: 'raw', from: 'd' }] },
      twins: { one: [jitter], two: [jitter] },
    }),
    extract: null,
    tables: [
      {
        id: `${id}-t`,
        table: tableSchema.parse({
          ...{ caption: 'A caption of ten letters', columns, rows: anchored },
          disagreements: [
            { row: 'x', column: 'v', reason: 'rounding', evidence: 'It was printed otherwise.', reviewer: 'me' },
          ],
        }),
        reference: '',
        copies: {},
      },
    ],
  };
}

test('cells are counted by type and by study, hidden and given apart, and types that nobody is asked for are named', () => {
  const section = cellsSection([
    study(
      'a',
      { v: { type: 'decimal', monte_carlo: true }, n: { type: 'integer' } },
      { x: { cells: ['v', 'n'] }, y: { cells: ['v', 'n'], given: ['v'] }, z: { cells: ['n'] } },
    ),
    study('b', { v: { type: 'decimal' }, t: { type: 'text' } }, { x: { cells: ['v', 't'], given: ['t'] } }),
  ]);
  expect(section).toMatch(
    /^5 hidden cells, 2 given ones\. Of the hidden ones 1 are of chance, and in 2 the artifact says/,
  );
  expect(section.split('\n').filter((line) => /^\| (`|all)/.test(line))).toEqual([
    ...['| `integer` | 1 | 3 | 0 | 0 |', '| `decimal` | 2 | 2 | 1 | 1 |', '| `percent` | 0 | 0 | 0 | 0 |'],
    ...['| `p-value` | 0 | 0 | 0 | 0 |', '| `text` | 1 | 0 | 0 | 1 |', '| `interval` | 0 | 0 | 0 | 0 |'],
    ...['| all | 2 | 5 | 1 | 2 |', '| `a` | 1 | 4 | 1 | 1 | Licence of a |', '| `b` | 1 | 1 | 0 | 1 | Licence of b |'],
  ]);
  expect(section).toContain('of the types `percent`, `p-value`, `text`, `interval`: 4 of the 6 types');
});
