import { describe, expect, test } from 'vitest';
import { intervalOf, meanOf, rounded } from './rounding.js';

const to = (type: 'decimal' | 'p-value' | 'integer', printed: string, text: string): string =>
  rounded(text, { column: { key: 'x', type }, printed });

test.each([
  ['decimal', '\u22120.362', '-0.41449', '-0.414'],
  ['decimal', '35959.2', '12345.678', '12345.7'],
  ['decimal', '833', '790.4', '790'],
  ['decimal', '1.2e-05', '0.00012345', '1.23e-4'],
  ['integer', '47', '52', '52'],
  ['p-value', '0.0407', '0.00001', '<0.0001'],
  ['p-value', '< 2e-16', '1e-20', '< 2e-16'],
  ['p-value', '<.0001', '0.03127', '0.0313'],
] as const)('%s printed as %s: %s becomes %s', (type, printed, text, expected) => {
  expect(to(type, printed, text)).toBe(expected);
});

test('with significant digits it keeps two more than are compared', () => {
  const column = { key: 'x', type: 'decimal' as const, tolerance: { significant: 4 } };
  expect(rounded('1.26456789', { column, printed: '1.2645678901234' })).toBe('1.26457');
  // A probability that is told as a bound is a bound still.
  const probability = { ...column, type: 'p-value' as const };
  expect(rounded('0.712345', { column: probability, printed: '0.71235' })).toBe('0.712345');
  expect(rounded('< 2e-16', { column: probability, printed: '0.71235' })).toBe('< 2e-16');
  expect(rounded('1e-20', { column: probability, printed: '< 2e-16' })).toBe('< 2e-16');
});

describe('cells of chance', () => {
  const runs = ['0.470', '0.472', '0.468', '0.471', '0.469', '0.470', '0.472', '0.468', '0.471', '0.469'];

  test('have the mean of their runs, and bounds around it', () => {
    expect(Number(meanOf(runs))).toBeCloseTo(0.47, 6);
    const { low, high } = intervalOf(runs, '0.4707');
    expect([Number(low), Number(high)]).toEqual([expect.closeTo(0.4625, 3), expect.closeTo(0.4775, 3)]);
  });

  test('are no narrower than what is printed', () => {
    expect(
      intervalOf(
        runs.map(() => '0.5'),
        '0.50',
      ),
    ).toEqual({ low: '0.495', high: '0.505' });
  });
});
