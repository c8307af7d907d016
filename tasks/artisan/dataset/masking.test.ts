import { expect, test } from 'vitest';
import fc from 'fast-check';
import { longValues, maskPaper, readPrinted, tellingNumbers, type PrintedTable } from './paper.js';
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

/** Written with other digits than the table's, and the same number: the judge would take it for the hidden value. */
const SAID = fc.record({
  /** Digits behind the printed ones: what was rounded away. */
  behind: fc.integer({ min: -49, max: 49 }),
  sign: fc.constantFrom('', '-', '\u2212', '+'),
  isGrouped: fc.boolean(),
});
const CELL = fc.record({ digits: fc.integer({ min: 100, max: 9_999_999 }), decimals: fc.nat({ max: 6 }) });

/** `digits` × 10^-`decimals`, as it is written. */
function written(digits: number, decimals: number): string {
  const text = String(digits).padStart(decimals + 1, '0');
  return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

const tableOf = (values: readonly string[]): ReturnType<typeof tableSchema.parse> =>
  tableSchema.parse({
    caption: 'A table that was generated',
    columns: { a: { type: values.every((value) => value.endsWith('%')) ? 'percent' : 'decimal' } },
    rows: Object.fromEntries(values.map((_, index) => [`row ${index}`, { anchor: `^row${index} `, cells: ['a'] }])),
  });

function maskedOf(values: readonly string[], prose: string): { masked: string; read: PrintedTable } {
  const paper = [...values.map((value, index) => `row${index} ${value}`), prose].join('\n');
  const read = readPrinted(paper, tableOf(values), { place: 'study/table/table.yaml' });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return { masked: maskPaper(paper, [read]).split('\n').at(-1) ?? '', read };
}

test('nor a number that rounds to one, whatever its sign and its separators', () => {
  fc.assert(
    fc.property(CELL, SAID, fc.boolean(), ({ digits, decimals }, { behind, sign, isGrouped }, isNegative) => {
      const exact = written(digits * 100 + behind, decimals + 2);
      const [whole = '', part = ''] = exact.split('.');
      const text = isGrouped ? `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${part}` : exact;
      const prose = `It is ${sign}${text}, which is much (${text}; see p. 7).`;
      const { masked, read } = maskedOf([`${isNegative ? '-' : ''}${written(digits, decimals)}`], prose);
      expect(masked).toBe(prose.replaceAll(text, text.replace(/\d/g, '?')));
      expect(tellingNumbers(prose, [read])).toEqual([text, text]);
      expect(tellingNumbers(masked, [read])).toEqual([]);
    }),
    { numRuns: 600 },
  );
});

test('a number that rounds to another one, or has fewer digits, stays', () => {
  fc.assert(
    fc.property(CELL, fc.integer({ min: 51, max: 149 }), fc.boolean(), ({ digits, decimals }, behind, isAbove) => {
      const text = written(digits * 100 + (isAbove ? behind : -behind), decimals + 2);
      // As digits, the hidden value may stand within a longer one.
      fc.pre(!text.includes(written(digits, decimals)));
      const prose = `It is ${text}, and not much.`;
      expect(maskedOf([written(digits, decimals)], prose).masked).toBe(prose);
    }),
    { numRuns: 600 },
  );
});

test.each([
  [
    'a number with more digits and another sign',
    '-8.86',
    'larger than 8.859 or smaller than -8.859',
    'larger than ?.??? or smaller than -?.???',
  ],
  ['one without its last zero', '0.00647240', 'price -0.4 0.0064724 **', 'price -0.4 ?.??????? **'],
  ['one with an exponent', '0.0001234', '1.2341e-04', '?.????e-??'],
  ['one without a zero before the point', '0.125', 'p = .1253.', 'p = .????.'],
  ['an integer with decimals', '2067', '2067.3 and 2,067', '????.? and ?,???'],
  ['percent', '25.7%', '25.68 % of 25.7', '??.?? % of ??.?'],
  ['nothing of two digits', '0.8000', '0.8 and 0.80', '0.8 and 0.80'],
  ['nothing near a hidden zero', '0.000', '0.000412', '?.???412'],
])('masked in prose: %s', (_, value, prose, expected) => {
  expect(maskedOf([value], prose).masked).toBe(expected);
});
