import { expect, test } from 'vitest';
import fc from 'fast-check';
import { longValues, maskPaper, readPrinted } from './paper.js';
import { tableSchema } from './study-schema.js';

const LABELS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];

/** A number as papers print them: signs, either minus, separators, exponents, percent, bounds. */
const number = fc
  .tuple(
    fc.constantFrom('', '-', '\u2212', '< '),
    fc.nat({ max: 99_999 }),
    fc.nat({ max: 6 }),
    fc.nat({ max: 999_999 }),
    fc.constantFrom('', '', '', 'e-05', 'E+03', '%'),
  )
  .map(([sign, whole, decimals, part, end]) => {
    const fraction = decimals === 0 ? '' : `.${`${part}`.padStart(6, '0').slice(0, decimals)}`;
    return `${sign}${whole}${fraction}${end}`;
  });

const table = fc.record({
  rows: fc.array(fc.array(number, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: LABELS.length }),
  given: fc.boolean(),
  /** What the prose says of it: a cell, with or without its sign. */
  said: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { maxLength: 4 }),
});

test('a masked paper holds no hidden value of three digits or more, wherever it stood', () => {
  fc.assert(
    fc.property(table, ({ rows, given, said }) => {
      const prose = said.map(([row, column, bare]) => {
        const cells = rows[row % rows.length] ?? [];
        const value = cells[column % cells.length] ?? '';
        return `As we found, it is ${bare ? value.replace(/^[^\d]+/, '') : value}, which is much.`;
      });
      const lines = rows.map(
        (cells, index) => `${LABELS[index] ?? ''}   ${cells.map((cell) => `(${cell})`).join('   ')} ***`,
      );
      const paper = [...prose, '       estimate', ...lines, ...prose].join('\n');
      const spec = tableSchema.parse({
        caption: 'A table that was generated',
        columns: Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, { type: 'p-value' }])),
        rows: Object.fromEntries(
          rows.map((cells, index) => [
            LABELS[index] ?? '',
            {
              anchor: `^${LABELS[index] ?? ''}`,
              cells: ['a', 'b', 'c', 'd'].slice(0, cells.length),
              given: given && cells.length > 1 ? ['a'] : [],
            },
          ]),
        ),
      });
      const read = readPrinted(paper, spec, { place: 'study/table/table.yaml' });
      // What is no number of its type is refused, and no task.
      fc.pre(!('problems' in read));
      if ('problems' in read) return;
      const masked = maskPaper(paper, [read]);
      for (const value of longValues(read)) expect(masked).not.toContain(value);
      // Nothing else is touched: digits become question marks, and only they.
      expect(masked.replace(/[\d?]/g, '#')).toBe(paper.replace(/[\d?]/g, '#'));
    }),
    { numRuns: 600 },
  );
});
