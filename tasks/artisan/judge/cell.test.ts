import { describe, expect, test } from 'vitest';
import { isOneUnitOff, judgeCell, valueProblem, type CellOutcome, type Expected } from './cell.js';

type Pair = [
  expected: string | [printed: string, tolerance: Expected['tolerance']],
  given: string,
  outcome: CellOutcome,
];

const PAIRS: Record<string, [type: Expected['type'], pairs: Pair[]]> = {
  'a decimal, as printed and to its last digit': [
    'decimal',
    [
      ['0.3132', '0.3132', 'match'],
      ['0.3132', '.3132', 'match'],
      ['0.3132', '<1', 'unreadable'],
      ['-0.3132', '<0', 'unreadable'],
      ['0.3132', '0.3 to 0.4', 'unreadable'],
      ['0.3132', '0.31\u200b32', 'unreadable'],
      ['0.3132', '0.3132†', 'unreadable'],
      ['0.3132', '+0.3132', 'match'],
      ['0.3132', ' 0.3132 ', 'match'],
      ['0.3132', '0.31320', 'match'],
      ['0.3132', '**0.3132**', 'match'],
      ['0.3132', '`0.3132`', 'match'],
      ['0.3132', '*0.3132*', 'match'],
      ['0.3132', '3.132e-1', 'match'],
      ['0.3132', '3.132E-01', 'match'],
      ['0.3132', '3.132 × 10^-1', 'match'],
      ['0.3132', '3.132 x 10^{-1}', 'match'],
      ['0.3132', '0.313198', 'rounding'],
      ['0.3132', '0.31324999', 'rounding'],
      ['0.3132', '0.31325', 'rounding'],
      ['0.3132', '0.31315', 'rounding'],
      ['0.3131', '0.31315', 'mismatch'],
      ['0.3133', '0.31325', 'rounding'],
      ['0.3131', '0.31305', 'rounding'],
      ['0.3130', '0.31305', 'rounding'],
      ['0.3132', '0.31325001', 'mismatch'],
      ['0.3132', '0.31314999', 'mismatch'],
      ['0.3132', '0.3131', 'mismatch'],
      ['0.3132', '0.3133', 'mismatch'],
      ['0.3132', '0.3123', 'mismatch'],
      ['0.3132', '0.313', 'mismatch'],
      ['0.3132', '-0.3132', 'mismatch'],
      ['0.3132', '3.132', 'mismatch'],
      ['0.3132', '31.32', 'mismatch'],
      ['0.3132', '0.3132 0.3132', 'unreadable'],
      ['0.3132', '31.32%', 'unreadable'],
      ['0.3132', '0.3132*', 'unreadable'],
      ['0.3132', '(0.3132)', 'unreadable'],
      ['0.3132', '0,3132', 'unreadable'],
      ['0.3132', '0.3132 or 0.4', 'unreadable'],
      ['0.3132', '0.31..32', 'unreadable'],
      ['0.3132', '٠.٣١٣٢', 'unreadable'],
      ['0.3132', '\uff10.\uff13\uff11\uff13\uff12', 'unreadable'],
      ['0.3132', '0.31\u000732', 'unreadable'],
      ['0.3132', 'nan', 'unreadable'],
      ['0.3132', 'inf', 'unreadable'],
      ['0.3132', '0x1', 'unreadable'],
      ['0.3132', '.', 'unreadable'],
      ['0.3132', '-', 'unreadable'],
      ['0.3132', 'e5', 'unreadable'],
      ['0.3132', '?.????', 'unreadable'],
      ['0.3132', '1e99999', 'unreadable'],
      ['0.3132', '1e9999', 'mismatch'],
      ['0.3132', `0.3132${'0'.repeat(500)}`, 'unreadable'],
      ['0.3132', '', 'missing'],
      ['0.3132', '   ', 'missing'],
    ],
  ],
  signs: [
    'decimal',
    [
      ['-0.7345', '-0.7345', 'match'],
      ['-0.7345', '−0.7345', 'match'],
      ['-0.7345', '–0.7345', 'match'],
      ['−0.7345', '-0.7345', 'match'],
      ['-0.7345', '- 0.7345', 'unreadable'],
      ['-0.7345', '--0.7345', 'unreadable'],
      ['-0.7345', '0.7345', 'mismatch'],
      ['-0.7345', '-0.73446', 'rounding'],
      ['-0.7345', '-0.73455', 'mismatch'],
      ['-0.7344', '-0.73445', 'rounding'],
      ['-0.7345', '-0.73445', 'rounding'],
      ['0.00', '-0.004', 'rounding'],
      ['0.00', '0.004', 'rounding'],
      ['0.00', '-0', 'match'],
      ['0.00', '0.006', 'mismatch'],
    ],
  ],
  separators: [
    'decimal',
    [
      ['4268954.1', '4,268,954.1', 'match'],
      ['4,268,954.1', '4268954.1', 'match'],
      ['4268954.1', '4 268 954.1', 'match'],
      ['4268954.1', '4\u202f268\u202f954.1', 'match'],
      ['4268954.1', '+4,268,954.1', 'match'],
      ['4268954.1', '4,268,954.13', 'rounding'],
      ['4268954.1', '4,268954.1', 'unreadable'],
      ['4268954.1', '42,68,954.1', 'unreadable'],
      ['4268954.1', '4,268 954.1', 'unreadable'],
      ['4268954.1', '4.268.954,1', 'unreadable'],
      ['4268954.1', "4'268'954.1", 'unreadable'],
      ['4268954.1', '4_268_954.1', 'unreadable'],
      ['1.237', '1,237', 'mismatch'],
      ['0.123', '0,123', 'unreadable'],
      ['1234', '1,2345', 'unreadable'],
    ],
  ],
  'significant digits': [
    'decimal',
    [
      [['3.52834171600000E-09', { significant: 7 }], '3.52834171600000E-09', 'match'],
      [['3.52834171600000E-09', { significant: 7 }], '3.528342e-09', 'rounding'],
      [['3.52834171600000E-09', { significant: 7 }], '3.5283417159e-9', 'rounding'],
      [['3.52834171600000E-09', { significant: 7 }], '0.000000003528342', 'rounding'],
      [['3.52834171600000E-09', { significant: 7 }], '3.528343e-09', 'mismatch'],
      [['3.52834171600000E-09', { significant: 7 }], '3.52834e-09', 'mismatch'],
      [['3.52834171600000E-09', { significant: 7 }], '3.528342e-08', 'mismatch'],
      [['3.52834171600000E-09', { significant: 7 }], '-3.528342e-09', 'mismatch'],
      [['3.52834171600000E-09', { significant: 7 }], '0.000000', 'mismatch'],
      [['0.431796812345678E-03', { significant: 7 }], '0.0004317968', 'rounding'],
      [['0.431796812345678E-03', { significant: 7 }], '0.000432', 'mismatch'],
      [['5416385.61234567', { significant: 7 }], '5416386', 'rounding'],
      [['5416385.61234567', { significant: 7 }], '5,416,385.9', 'rounding'],
      [['5416385.61234567', { significant: 7 }], '5416387', 'mismatch'],
      [['27.6', { significant: 7 }], '27.61', 'rounding'],
      [['27.6', { significant: 7 }], '27.7', 'mismatch'],
      [['27.5', { significant: 7 }], '27.55', 'mismatch'],
      [['27.5', { significant: 7 }], '27.45', 'rounding'],
    ],
  ],
  integers: [
    'integer',
    [
      ['46', '46', 'match'],
      ['46', '46.0', 'match'],
      ['46', '4.6e1', 'match'],
      ['46', '+46', 'match'],
      ['1046', '1,046', 'match'],
      ['46', '46.2', 'mismatch'],
      ['46', '45.99999', 'mismatch'],
      ['46', '64', 'mismatch'],
      ['46', '-46', 'mismatch'],
      ['46', '46 df', 'unreadable'],
      ['46', 'forty-six', 'unreadable'],
    ],
  ],
  percent: [
    'percent',
    [
      ['25.7%', '25.7%', 'match'],
      ['25.7%', '25.7 %', 'match'],
      ['25.7%', '25.7', 'match'],
      ['25.7', '25.7%', 'match'],
      ['25.7%', '25.74%', 'rounding'],
      ['25.7%', '0.257', 'mismatch'],
      ['25.7%', '257%', 'mismatch'],
      ['25.7%', '-25.7%', 'mismatch'],
      ['25.7%', '25.7%%', 'unreadable'],
      ['25.7%', '25.7 percent', 'unreadable'],
    ],
  ],
  'p-values': [
    'p-value',
    [
      ['< 0.0001', '< 0.0001', 'match'],
      ['< 0.0001', '<0.0001', 'match'],
      ['< 0.0001', '<1e-4', 'match'],
      ['< 0.0001', '0.00000031', 'match'],
      ['< 0.0001', '0', 'match'],
      ['< 0.0001', '0.0001', 'mismatch'],
      ['< 0.0001', '0.0002', 'mismatch'],
      ['< 0.0001', '< 0.001', 'mismatch'],
      ['< 0.0001', '-0.00001', 'mismatch'],
      ['< 0.0001', 'p < 0.0001', 'unreadable'],
      ['0.0221', '0.0221', 'match'],
      ['0.0221', '.0221', 'match'],
      ['0.0221', '0.02213', 'rounding'],
      ['0.0221', '< 0.05', 'mismatch'],
      ['0.0221', '2.21', 'mismatch'],
      ['0.0221', '0.022', 'mismatch'],
      ['0.0221', '= 0.0221', 'unreadable'],
    ],
  ],
  texts: [
    'text',
    [
      ['HC3', 'HC3', 'match'],
      ['HC3', ' HC3 ', 'match'],
      ['HC3', '`HC3`', 'match'],
      ['two words', 'two  words', 'match'],
      ['café', 'cafe\u0301', 'match'],
      ['HC3', 'hc3', 'mismatch'],
      ['HC3', 'HC4', 'mismatch'],
      ['HC3', 'HC3 or HC4', 'mismatch'],
      ['HC3', '', 'missing'],
    ],
  ],
  intervals: [
    'interval',
    [
      ['[0.1197, 1.1115]', '[0.1197, 1.1115]', 'match'],
      ['[0.1197, 1.1115]', '(0.1197; 1.1115)', 'match'],
      ['[0.1197, 1.1115]', '0.1197 to 1.1115', 'match'],
      ['[0.1197, 1.1115]', '[0.11971, 1.1115]', 'rounding'],
      ['[-0.5, 1,000.5]', '[−0.5, 1000.5]', 'match'],
      ['[0.1197, 1.1115]', '[1.1115, 0.1197]', 'mismatch'],
      ['[0.1197, 1.1115]', '[0.1197, 1.1116]', 'mismatch'],
      ['[0.1197, 1.1115]', '[0.1197]', 'unreadable'],
      ['[0.1197, 1.1115]', '[0.1197, x]', 'unreadable'],
      ['[0.1197, 1.1115]', '[0.1197, 1.1115, 2]', 'unreadable'],
    ],
  ],
  'what chance alone does': [
    'decimal',
    [
      [['0.4707', { low: '0.4650', high: '0.4760' }], '0.4706', 'interval'],
      [['0.4707', { low: '0.4650', high: '0.4760' }], '0.4650', 'interval'],
      [['0.4707', { low: '0.4650', high: '0.4760' }], '0.4760', 'interval'],
      [['0.4707', { low: '0.4650', high: '0.4760' }], '0.4761', 'mismatch'],
      [['0.4707', { low: '0.4650', high: '0.4760' }], '0.46499', 'mismatch'],
      [['0.4707', { low: '0.4650', high: '0.4760' }], 'about 0.47', 'unreadable'],
    ],
  ],
};

describe.each(Object.entries(PAIRS))('%s', (_, [type, pairs]) => {
  test.each(pairs)('%j, given %j: %s', (expected, given, outcome) => {
    const [printed, tolerance] = typeof expected === 'string' ? [expected, undefined] : expected;
    expect(judgeCell({ type, printed, tolerance }, given)).toBe(outcome);
  });
});

test('the corpus is large enough, and most of it is wrong', () => {
  const outcomes = Object.values(PAIRS).flatMap(([, pairs]) => pairs.map(([, , outcome]) => outcome));
  expect(outcomes.length).toBeGreaterThanOrEqual(150);
  expect(outcomes.filter((each) => ['mismatch', 'missing', 'unreadable'].includes(each)).length).toBeGreaterThan(75);
});

test('every number printed by a program comes back, and its neighbour does not', () => {
  for (let step = 0; step < 2000; step += 1) {
    const value = Math.sin(step) * 10 ** ((step % 25) - 12);
    const printed = value.toPrecision(5);
    const digit = Number(/\d(?=\D*$|[eE])/.exec(printed)?.[0] ?? 0);
    expect(judgeCell({ type: 'decimal', printed }, String(value))).toMatch(/match|rounding/);
    const other = printed.replace(/\d(?=[eE]|$)/, String((digit + 1) % 10));
    if (other !== printed) expect(judgeCell({ type: 'decimal', printed }, other)).toBe('mismatch');
  }
});

test('a value that its type cannot hold is told', () => {
  expect(valueProblem({ type: 'integer', printed: '4.5' })).toBe('"4.5" is no integer');
  expect(valueProblem({ type: 'decimal', printed: 'abc' })).toBe('"abc" is no decimal');
  expect(valueProblem({ type: 'interval', printed: '[1]' })).toBe('"[1]" is no interval');
  expect(valueProblem({ type: 'text', printed: 'a', tolerance: { significant: 3 } })).toBe('a text has no tolerance');
  expect(valueProblem({ type: 'percent', printed: '3.1 %' })).toBeNull();
  expect(valueProblem({ type: 'p-value', printed: '< 0.001' })).toBeNull();
});

describe('on altered data a number may be one unit of the last printed digit off', () => {
  test.each<[type: Expected['type'], published: string, altered: string, given: string, isNear: boolean]>([
    ['decimal', '0.3132', '0.4150', '0.4151', true],
    ['decimal', '0.3132', '0.4150', '0.4149', true],
    ['decimal', '0.3132', '0.4150', '0.41507', true],
    ['decimal', '0.3132', '0.4150', '0.4152', false],
    ['decimal', '0.3132', '0.4150', '0.41511', false],
    ['decimal', '0.3132', '-0.4150', '0.4150', false],
    ['decimal', '833', '790', '791', true],
    ['percent', '25.7%', '31.2%', '31.3', true],
    ['percent', '25.7%', '31.2%', '31.4%', false],
    // Of the form of what is published two digits are asked for, and three are kept.
    ['p-value', '5.7e-11', '1.67e-6', '1.7e-06', true],
    ['p-value', '5.7e-11', '1.67e-6', '1.6e-06', true],
    ['p-value', '5.7e-11', '1.67e-6', '1.8e-06', false],
    ['p-value', '7e-11', '3.75e-7', '4e-07', true],
    ['p-value', '0.0407', '<0.0001', '0.0001', true],
    ['p-value', '0.0407', '<0.0001', '0.0002', false],
    ['p-value', '0.0407', '0.0001', '<0.0001', true],
    ['p-value', '0.0407', '0.0002', '<0.0001', false],
    ['p-value', '0.0407', '0.0001', '<0.5', false],
    ['p-value', '0.0407', '0.0000', '-0.0001', false],
    // A smaller bound says more than is asked for; a larger one says less.
    ['p-value', '0.0407', '<0.0001', '<2e-16', true],
    ['p-value', '0.0407', '<0.0001', '<0.001', false],
    ['p-value', '0.0407', '<0.0001', '<-1', false],
    ['p-value', '0.0407', '0.0001', '<-1', false],
    // Nothing but a probability is told by a bound: every negative number is below zero.
    ['decimal', '-0.3132', '-0.4150', '<0', false],
    ['decimal', '-0.3132', '-0.4150', '< -0.4149', false],
    ['decimal', '0.0132', '0.0001', '<0.0001', false],
    ['percent', '-25.7%', '-31.2%', '<0%', false],
    // Unreadable in the table as published, so that a copy of it would not show.
    ['decimal', '0.3132', '0.4150', '0.4150%', false],
    ['p-value', '0.0407', '0.0408', '0.0407%', false],
    // No more significant digits than are printed, as `%.4g` and R's `print` write them; but three, lest a short value is near many.
    ['decimal', '0.8679', '1.2787', '1.279', true],
    ['decimal', '0.8679', '1.2787', '1.280', false],
    ['decimal', '-99.3328', '-103.0699', '-103.070', true],
    ['percent', '9.87%', '12.34%', '12.3%', true],
    ['decimal', '0.07', '0.12', '0.2', false],
    ['decimal', '0.074', '0.786', '0.79', false],
    // Of a probability three digits are asked for: where R's glm stops, and where it would end.
    ['p-value', '0.000312', '0.046195', '0.046199', true],
    ['p-value', '0.00841', '0.31771', '0.31775', true],
    ['p-value', '0.00841', '0.31771', '0.31871', true],
    ['p-value', '0.00841', '0.31771', '0.31872', false],
    ['p-value', '0.000312', '0.000421', '0.000423', false],
    ['p-value', '3.14e-05', '6.12e-4', '0.000613', true],
    ['p-value', '3.145e-05', '6.121e-4', '0.0006131', true],
    ['p-value', '3.145e-05', '6.121e-4', '0.0006133', false],
    ['decimal', '0.61517', '0.83417', '0.83419', false],
    ['integer', '47', '52', '53', false],
    ['text', 'HC0', 'HC0', 'HC1', false],
    ['decimal', '0.3132', '0.4150', '', false],
    ['decimal', '0.3132', '0.4150', '(given twice)', false],
  ])('%s %s: %s, and %s: %s', (type, printed, altered, given, isNear) => {
    expect(isOneUnitOff({ type, printed }, altered, given)).toBe(isNear);
  });

  test('but for what has a tolerance of its own', () => {
    for (const tolerance of [{ significant: 4 }, { low: '0.41', high: '0.42' }])
      expect(isOneUnitOff({ type: 'decimal', printed: '0.3132', tolerance }, '0.4150', '0.4151')).toBe(false);
  });

  test('and so it is where the tolerance asks for more digits than are printed', () => {
    const isNear = (printed: string, altered: string, given: string): boolean =>
      isOneUnitOff({ type: 'decimal', printed, tolerance: { significant: 6 } }, altered, given);
    // Whoever prints the form of the paper has four digits of this one.
    expect(isNear('0.03617', '0.012713528', '0.01271')).toBe(true);
    expect(isNear('0.03617', '0.012713528', '0.01272')).toBe(true);
    expect(isNear('0.03617', '0.012713528', '0.01273')).toBe(false);
    expect(isNear('3.6e-02', '1.2713528e-2', '1.3e-02')).toBe(true);
    // Seven are printed, and six are asked for.
    expect(isNear('62.33146', '68.727117', '68.7272')).toBe(false);
    expect(isNear('743123', '631452.94', '631454')).toBe(false);
  });
});
