import { describe, expect, test } from 'vitest';
import { literalsIn } from './literals.js';
import { changedCells, copiedCells, judgeMethod, type MethodEvidence } from './method.js';
import { formatTable, type TableShape, type Values } from './table.js';

const SHAPE: TableShape = {
  columns: [
    { key: 'n', type: 'integer' },
    { key: 'mean', type: 'decimal' },
  ],
  rows: [{ key: 'all', cells: { n: 'hidden', mean: 'hidden' } }],
};
const PRINTED: Values = { all: { n: '48', mean: '3.250' } };
const JITTERED: Values = { all: { n: '48', mean: '3.262' } };
const DROPPED: Values = { all: { n: '43', mean: '3.301' } };
const printing = (values: Values): string => formatTable(SHAPE, (row, { key }) => values[row]?.[key] ?? '');

/** What a script does that computes. */
const HONEST: MethodEvidence = {
  ...{ shape: SHAPE, printed: PRINTED, best: 'full', literals: [], opened: [] },
  withheld: printing(PRINTED),
  underived: printing(PRINTED),
  twins: [
    { twin: 'jitter', expected: JITTERED, output: printing(JITTERED) },
    { twin: 'drop', expected: DROPPED, output: printing(DROPPED) },
  ],
};
const onTwins = (output: (expected: Values) => string | null): Pick<MethodEvidence, 'twins'> => ({
  twins: HONEST.twins.map((twin) => ({ ...twin, output: output(twin.expected) })),
});
const always = onTwins(() => printing(PRINTED));

describe('a script that', () => {
  test.each<[string, Partial<MethodEvidence>, string, string | null]>([
    ['computes', {}, 'full', null],
    ['computes, with the values in a comment', { literals: ['3.250'] }, 'full', null],
    ['computes from shipped intermediate data', { underived: null }, 'last-mile', null],
    ['computes other values from raw data', { underived: printing(JITTERED) }, 'last-mile', null],
    // Nothing is left there that it could compute from: it has the table in it, for the data as published.
    ['prints the table where the only data is away', { best: 'last-mile' }, 'last-mile', null],
    ['prints it there, and elsewhere too', { best: 'last-mile', ...always }, 'copied', 'insensitive'],
    ['reads a result file', { withheld: null, ...always }, 'copied', 'result-file'],
    [
      'reads a result file and has values too',
      { withheld: null, literals: ['3.250'], ...always },
      'copied',
      'result-file',
    ],
    ['has the values in it', { literals: ['3.250'], ...always }, 'copied', 'hard-coded'],
    ['prints the same whatever the data', always, 'copied', 'insensitive'],
    [
      'copies one cell among honest ones',
      onTwins((expected) => printing({ all: { ...expected.all, mean: '3.250' } })),
      'copied',
      'insensitive',
    ],
    [
      'copies the cell that only one twin changes',
      onTwins((expected) => printing({ all: { ...expected.all, n: '48' } })),
      'copied',
      'insensitive',
    ],
    ['needs the result file, and computes where data is altered', { withheld: null }, 'copied', 'result-file'],
    ['fails on altered data', onTwins(() => null), 'unproven', 'unproven'],
    [
      'fails on altered data, with values in it',
      { ...onTwins(() => null), literals: ['3.250'] },
      'copied',
      'hard-coded',
    ],
    [
      'fails on altered data and without the result',
      { ...onTwins(() => null), withheld: null },
      'copied',
      'result-file',
    ],
    [
      'prints nonsense on altered data',
      onTwins(() => printing({ all: { n: '1', mean: '0.000' } })),
      'unproven',
      'unproven',
    ],
    ['was never run on altered data', { twins: [] }, 'unproven', 'unproven'],
    // 3.2625 and 3.2614 on one side of an edge of rounding or the other.
    [
      'rounds to the next number on altered data, to the printed digits',
      onTwins((expected) =>
        printing({ all: { ...expected.all, mean: expected.all?.mean === '3.262' ? '3.263' : '3.300' } }),
      ),
      'full',
      null,
    ],
    [
      'rounds to the next number on altered data, in full',
      onTwins((expected) => printing({ all: { ...expected.all, mean: `${expected.all?.mean}6` } })),
      'full',
      null,
    ],
    [
      'is two units off on altered data',
      onTwins((expected) =>
        printing({ all: { ...expected.all, mean: expected.all?.mean === '3.262' ? '3.264' : '3.299' } }),
      ),
      'unproven',
      'unproven',
    ],
    [
      'is one off in a count on altered data',
      onTwins((expected) => printing({ all: { ...expected.all, n: `${Number(expected.all?.n) + 1}` } })),
      'unproven',
      'unproven',
    ],
  ])('%s', (_, difference, method, because) => {
    expect(judgeMethod({ ...HONEST, ...difference })).toMatchObject({ method, because });
  });
});

test('an artifact without result files or derived ones needs no such run', () => {
  const { shape, printed, best, literals, twins } = HONEST;
  expect(judgeMethod({ shape, printed, best, literals, twins, opened: [] })).toMatchObject({
    method: 'full',
    withheldRight: null,
    underivedRight: null,
  });
});

test('a cell counts as changed where no rounding makes it the same', () => {
  expect(changedCells(SHAPE, PRINTED, JITTERED)).toEqual([{ row: 'all', column: 'mean' }]);
  expect(changedCells(SHAPE, PRINTED, DROPPED)).toHaveLength(2);
  expect(changedCells(SHAPE, PRINTED, { all: { n: '48', mean: '3.2502' } })).toEqual([]);
});

test('a copied cell shows too where altered data changes it by one unit', () => {
  const altered: Values = { all: { n: '43', mean: '3.251' } };
  const output = printing({ all: { n: '43', mean: '3.250' } });
  const report = judgeMethod({ ...HONEST, twins: [{ twin: 'drop', expected: altered, output }] });
  expect(report).toMatchObject({ method: 'copied', twins: [{ repeated: [{ row: 'all', column: 'mean' }] }] });
});

describe('a cell that altered data moves by one unit, and that stays as published there,', () => {
  const moved = (mean: string, other: string, output: (expected: Values) => Values): MethodEvidence => ({
    ...HONEST,
    twins: [
      { twin: 'jitter', expected: { all: { n: '43', mean } } },
      { twin: 'drop', expected: { all: { n: '41', mean: other } } },
    ].map((twin) => ({ ...twin, output: printing(output(twin.expected)) })),
  });
  const copying = ({ all }: Values): Values => ({ all: { ...all, mean: '3.250' } });
  // 3.2505 on the other side of its edge of rounding.
  const onTheEdge = (expected: Values): Values => (expected.all?.mean === '3.251' ? copying(expected) : expected);
  const cell = { row: 'all', column: 'mean' };

  test('is no copy where it follows the data of another twin', () => {
    const report = judgeMethod(moved('3.251', '3.301', onTheEdge));
    expect(report).toMatchObject({ method: 'full', because: null, twins: [{ repeated: [] }, { repeated: [] }] });
  });

  test('follows it too where the other one is next to what is expected', () => {
    expect(judgeMethod(moved('3.251', '3.249', onTheEdge))).toMatchObject({ method: 'full' });
    const nextTo = (expected: Values): Values =>
      expected.all?.mean === '3.251' ? copying(expected) : { all: { ...expected.all, mean: '3.302' } };
    expect(judgeMethod(moved('3.251', '3.301', nextTo))).toMatchObject({ method: 'full' });
  });

  test.each([
    ['every twin moves it by one unit', '3.251', '3.249'],
    ['another twin moves it further', '3.251', '3.301'],
    ['no other twin moves it', '3.251', '3.250'],
  ])('is a copy where it stays everywhere: %s', (_, mean, other) => {
    const report = judgeMethod(moved(mean, other, copying));
    expect(report).toMatchObject({ method: 'copied', because: 'insensitive' });
    expect(report.twins[0]?.repeated).toEqual([cell]);
  });

  test('is a copy where it stays on a twin that moves it further, whatever it does elsewhere', () => {
    const partly = (expected: Values): Values => (expected.all?.mean === '3.252' ? copying(expected) : expected);
    const report = judgeMethod(moved('3.252', '3.301', partly));
    expect(report).toMatchObject({ method: 'copied', twins: [{ repeated: [cell] }, { repeated: [] }] });
  });

  test('is a copy where it is a count, which nothing rounds', () => {
    const counted = (expected: Values): Values => ({
      all: { ...expected.all, n: expected.all?.n === '49' ? '48' : (expected.all?.n ?? '') },
    });
    const twins = [
      { n: '49', mean: '3.262' },
      { n: '43', mean: '3.301' },
    ].map((all, place) => ({
      ...{ twin: `drop-${place}`, expected: { all }, output: printing(counted({ all })) },
    }));
    expect(judgeMethod({ ...HONEST, twins })).toMatchObject({ method: 'copied' });
  });
});

describe('of a probability that altered data moves in its fourth digit', () => {
  const shape: TableShape = {
    columns: [{ key: 'p', type: 'p-value' }],
    rows: [{ key: 'all', cells: { p: 'hidden' } }],
  };
  const judged = (outputs: readonly string[]): ReturnType<typeof judgeMethod> =>
    judgeMethod({
      ...{ shape, printed: { all: { p: '0.046321' } }, best: 'full', literals: [], opened: [] },
      twins: ['0.046352', '0.327614'].map((p, index) => ({
        ...{ twin: `twin-${index}`, expected: { all: { p } } },
        output: formatTable(shape, () => outputs[index] ?? ''),
      })),
    });

  test('the program that goes on where the reference stops is no copy', () => {
    expect(judged(['0.046356', '0.327647'])).toMatchObject({ method: 'full', because: null });
  });

  test('the published value shows, where it stays on every twin', () => {
    expect(judged(['0.046321', '0.046321'])).toMatchObject({ method: 'copied', because: 'insensitive' });
    expect(judged(['0.046321', '0.300000'])).toMatchObject({ method: 'copied', because: 'insensitive' });
  });
});

test('a copied cell shows only where chance cannot give the published value too', () => {
  const altered = (low: string, high: string) => ({ expected: DROPPED, intervals: { all: { mean: { low, high } } } });
  expect(copiedCells(SHAPE, PRINTED, altered('3.28', '3.32'))).toEqual([
    { row: 'all', column: 'n' },
    { row: 'all', column: 'mean' },
  ]);
  expect(copiedCells(SHAPE, PRINTED, altered('3.20', '3.40'))).toEqual([{ row: 'all', column: 'n' }]);
  // The judge finds the same cells in a script that prints the published table.
  const { twins } = judgeMethod({
    ...{ ...HONEST, twins: [{ twin: 'drop', ...altered('3.20', '3.40'), output: printing(PRINTED) }] },
  });
  expect(twins[0]?.repeated).toEqual([{ row: 'all', column: 'n' }]);
});

describe('values in a script', () => {
  const VALUES = ['3.52834171600000E-09', '1,234.5', '46', '0.257', '< 0.0001'];
  test.each([
    ['as printed', 'print("3.52834171600000E-09")', ['3.52834171600000E-09']],
    ['written another way', 'x = 0.00000000352834171600', ['3.52834171600000E-09']],
    ['cut', 'y = 3.5283e-9', ['3.52834171600000E-09']],
    ['rounded', 'x = 3.528342e-9', ['3.52834171600000E-09']],
    ['with other separators', 'v = 1_234.5', ['1,234.5']],
    ['in base64', `echo ${Buffer.from('mean 0.257 n 48 and so on').toString('base64')} | base64 -d`, ['0.257']],
    [
      'in base64 of base64',
      Buffer.from(Buffer.from('value 0.257 value').toString('base64')).toString('base64'),
      ['0.257'],
    ],
    ['in hexadecimal', Buffer.from('mean = 0.257').toString('hex'), ['0.257']],
    ['of too few digits', 'df = 46; alpha = 0.0001', []],
    ['others', 'x = 3.528343e-9; n = 1236; s = 3.53', []],
    ['none', 'data = read("silver.dat"); print(data.mean())', []],
  ])('%s', (_, script, found) => {
    expect(literalsIn(script, VALUES)).toEqual(found);
  });
});
