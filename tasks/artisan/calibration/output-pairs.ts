import { formatTable, hiddenCells, judgeTable, type TableShape, type Values } from '../judge/table.js';

/** A labelled output: what a script may print for a table, and whether it is that table. */
interface OutputPair {
  /** What was done to the table. */
  change: string;
  shape: TableShape;
  printed: Values;
  output: string;
  isRight: boolean;
}

/** Tables to be changed: each type, with signs, exponents, separators and few or many digits. */
const TABLES: readonly { shape: TableShape; printed: Values }[] = [
  table(
    [
      ['n', 'integer'],
      ['mean', 'decimal'],
    ],
    { treated: ['48', '3.257'], control: ['51', '-2.981'], all: ['99', '0.042'] },
  ),
  table(
    [
      ['sum', 'decimal'],
      ['F', 'decimal'],
    ],
    { between: ['3.5283E-09', '17.947'], within: ['1.0498E-08', '2.2819'] },
  ),
  table(
    [
      ['share', 'percent'],
      ['p', 'p-value'],
    ],
    { a: ['25.7%', '0.0221'], b: ['61.3%', '0.4170'], c: ['12.9%', '0.0305'] },
  ),
  table(
    [
      ['cases', 'integer'],
      ['cost', 'decimal'],
    ],
    { north: ['1,204', '4,268,954.1'], south: ['2,318', '5,416,385.5'] },
  ),
  table(
    [
      ['estimate', 'decimal'],
      ['error', 'decimal'],
      ['label', 'text'],
    ],
    { x1: ['1.842', '0.613', 'HC0'], x2: ['-0.571', '0.208', 'HC3'] },
  ),
  table(
    [
      ['estimate', 'decimal'],
      ['interval', 'interval'],
    ],
    { RE: ['-0.7345', '[-1.0989, -0.3722]'], FE: ['-0.4303', '[-0.5097, -0.3509]'] },
  ),
  table(
    [
      ['log-likelihood', 'decimal'],
      ['df', 'integer'],
    ],
    { Poisson: ['-12943.7', '8'], hurdle: ['-12090.4', '17'], zinb: ['-12091.1', '16'] },
  ),
  table([['mean', 'decimal']], { first: ['107.8681'], second: ['107.8684'], third: ['107.8692'] }),
];

function table(
  columns: readonly [string, TableShape['columns'][number]['type']][],
  rows: Readonly<Record<string, readonly string[]>>,
): { shape: TableShape; printed: Values } {
  const keys = columns.map(([key]) => key);
  return {
    shape: {
      columns: columns.map(([key, type]) => ({ key, type })),
      rows: Object.keys(rows).map((key) => ({
        key,
        cells: Object.fromEntries(keys.map((each) => [each, 'hidden' as const])),
      })),
    },
    printed: Object.fromEntries(
      Object.entries(rows).map(([key, cells]) => [
        key,
        Object.fromEntries(keys.map((each, at) => [each, cells[at] ?? ''])),
      ]),
    ),
  };
}

type Cell = { row: string; column: string };
type Print = (values: Values, shape?: TableShape) => string;

/** Every change of every table: 40 ways and more to print it. */
export function outputPairs(): OutputPair[] {
  return TABLES.flatMap(({ shape, printed }) => {
    const print: Print = (values, own = shape) => formatTable(own, (row, { key }) => values[row]?.[key] ?? '');
    const pair = (change: string, isRight: boolean, output: string | null): OutputPair[] =>
      output === null ? [] : [{ change, shape, printed, output, isRight }];
    const pairs = [
      ...rightOutputs(shape, printed, print).flatMap(([change, output]) => pair(change, true, output)),
      ...wrongOutputs(shape, printed, print).flatMap(([change, output]) => pair(change, false, output)),
    ];
    // A change that finds nothing to change leaves an output that counts already.
    return pairs.filter(({ output }, at) => pairs.findIndex((other) => other.output === output) === at);
  });
}

type Changed = [change: string, output: string | null];

function rightOutputs(shape: TableShape, printed: Values, print: Print): Changed[] {
  const { rows, columns } = shape;
  const plain = print(printed);
  const eachNumber = (change: (value: string) => string): string => print(mapNumbers(shape, printed, change));
  return [
    ['as it is', plain],
    ['rows in the opposite order', print(printed, { ...shape, rows: [...rows].reverse() })],
    ['columns in the opposite order', print(printed, { ...shape, columns: [...columns].reverse() })],
    ['a row more', plain.replace(/\n```$/, '\n| something else | 1 | 2 | 3 |\n```')],
    ['a column more', plain.replace(/ \|$/gm, ' | 7 |').replace('| --- | 7 |', '| --- | --- |')],
    ['a block of another table before it', `\`\`\`table\n| | x |\n|---|---|\n| y | 1 |\n\`\`\`\n${plain}`],
    ['text before and after it', `reading data\n${plain}\ndone`],
    ['the same table twice', `${plain}\n\n${plain}`],
    ['a wrong table before it', `${print(allOnes(shape))}\n${plain}`],
    ['a plus before numbers', eachNumber((value) => (/^\d/.test(value) ? `+${value}` : value))],
    ['minus characters of Unicode', eachNumber((value) => value.replace(/^-/, '−'))],
    ['bold cells', eachNumber((value) => `**${value}**`)],
    ['code cells', eachNumber((value) => `\`${value}\``)],
    ['blanks around cells', plain.replaceAll('| ', '|    ')],
    ['without separators', eachNumber((value) => value.replaceAll(',', ''))],
    ['an exponent', eachNumber(exponential)],
    ['zeros behind decimals', eachNumber((value) => (isDecimal(value) ? `${value}0` : value))],
    ['a digit more, rounded down', eachNumber((value) => (isDecimal(value) ? `${value}3` : value))],
    // Half a unit is left of the printed value, in each direction: by one of the rules for halves it rounds to it.
    ['halves that are rounded away from zero', eachNumber((value) => moved(value, -50n))],
    ['halves that are rounded to an even digit', eachNumber((value) => (isEven(value) ? moved(value, 50n) : value))],
    ['just within the edge below', eachNumber((value) => moved(value, -49n))],
    ['just within the edge above', eachNumber((value) => moved(value, 49n))],
    ['percent without its sign', changed(plain, /(\d)%/g, '$1')],
    ['a blank before the sign of percent', changed(plain, /(\d)%/g, '$1 %')],
    ['keys in capitals', plain.replace(/^\| (\w[\w ]*) \|/gm, (_, key: string) => `| ${key.toUpperCase()} |`)],
    ['lines that end as on Windows', plain.replaceAll('\n', '\r\n')],
  ];
}

function wrongOutputs(shape: TableShape, printed: Values, print: Print): Changed[] {
  const plain = print(printed);
  const cells = hiddenCells(shape).map(({ row, column }) => ({ row, column: column.key }));
  const numbers = cells.filter(({ row, column }) => /^[-\d]/.test(printed[row]?.[column] ?? ''));
  const inCell = (cell: Cell | undefined, change: (value: string) => string): string | null => {
    if (cell === undefined) return null;
    const before = printed[cell.row]?.[cell.column] ?? '';
    const after = change(before);
    if (after === before) return null;
    return print({ ...printed, [cell.row]: { ...printed[cell.row], [cell.column]: after } });
  };
  const lastDigit = (by: number) => (value: string) =>
    value.replace(/(\d)(?=\D*$|[eE])/, (digit) => String((Number(digit) + by) % 10));
  const [first, last] = [numbers[0], numbers.at(-1)];
  const valueOf = ({ row, column }: Cell): string => printed[row]?.[column] ?? '';
  const decimal = numbers.find((cell) => isDecimal(valueOf(cell)));
  const [one, other] = [shape.rows[0]?.key ?? '', shape.rows.at(-1)?.key ?? ''];
  return [
    ['nothing', ''],
    ['no block', 'the table is as in the paper'],
    ['a block of another kind', plain.replace('```table', '```text')],
    ['last digit of the first cell one higher', inCell(first, lastDigit(1))],
    ['last digit of the first cell one lower', inCell(first, lastDigit(9))],
    ['last digit of the last cell one higher', inCell(last, lastDigit(1))],
    ['last digit of the last cell one lower', inCell(last, lastDigit(9))],
    [
      'first digit of the first cell another',
      inCell(first, (value) => value.replace(/\d/, (digit) => String((Number(digit) % 9) + 1))),
    ],
    ['another sign', inCell(first, (value) => (value.startsWith('-') ? value.slice(1) : `-${value}`))],
    ['ten times as much', inCell(last, (value) => tenfold(value))],
    [
      'a digit fewer',
      inCell(
        numbers.find(({ row, column }) => /\.\d*[1-9]\d*[1-9]$/.test(printed[row]?.[column] ?? '')),
        (value) => value.slice(0, -1),
      ),
    ],
    ['just beyond the edge below', inCell(decimal, (value) => moved(value, -51n))],
    ['just beyond the edge above', inCell(decimal, (value) => moved(value, 51n))],
    [
      'half a unit above an odd digit, which no rule rounds down',
      inCell(
        numbers.find((cell) => isDecimal(valueOf(cell)) && !isEven(valueOf(cell))),
        (value) => moved(value, 50n),
      ),
    ],
    ['percent as a share of one', changed(plain, /(\d)(\d)\.(\d)%/, '0.$1$2$3')],
    ['per mille for percent', changed(plain, /(\d)%/, '$1‰')],
    ['a unit behind a number', inCell(first, (value) => `${value} kg`)],
    ['a cell missing', inCell(first, () => '')],
    ['a cell with two values', inCell(first, (value) => `${value} or 1`)],
    ['a word behind a number', inCell(first, (value) => `${value} about`)],
    [
      'other digits of Unicode',
      inCell(first, (value) => value.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))),
    ],
    ['the mask', inCell(first, (value) => value.replace(/\d/g, '?'))],
    ['a control character in a cell', inCell(last, (value) => `${value.slice(0, 2)}\u0007${value.slice(2)}`)],
    ['a row missing', plain.replace(new RegExp(`^\\| ${other} \\|.*\\n`, 'm'), '')],
    [
      'a row given twice, once wrong',
      plain.replace(new RegExp(`^\\| ${one} \\|`, 'm'), `| ${one} | 1 | 1 | 1 |\n| ${one} |`),
    ],
    ['labels of two rows swapped', print({ ...printed, [one]: printed[other] ?? {}, [other]: printed[one] ?? {} })],
    ['labels of two columns swapped', swappedColumns(shape, printed, print)],
    ['a wrong table behind it', `${plain}\n${print(allOnes(shape))}`],
    [
      'no line of dashes',
      plain
        .split('\n')
        .filter((_, at) => at !== 2)
        .join('\n'),
    ],
    [
      'a comma for a point',
      inCell(
        numbers.find(({ row, column }) => /^-?\d+\.\d{4}$|^-?\d+\.\d{1,2}$/.test(printed[row]?.[column] ?? '')),
        (value) => value.replace('.', ','),
      ),
    ],
  ];
}

function mapNumbers(shape: TableShape, printed: Values, change: (value: string) => string): Values {
  const isNumber = (column: string): boolean =>
    shape.columns.some(({ key, type }) => key === column && ['integer', 'decimal'].includes(type));
  return Object.fromEntries(
    Object.entries(printed).map(([row, cells]) => [
      row,
      Object.fromEntries(
        Object.entries(cells).map(([column, value]) => [column, isNumber(column) ? change(value) : value]),
      ),
    ]),
  );
}

const allOnes = ({ rows }: TableShape): Values =>
  Object.fromEntries(
    rows.map(({ key, cells }) => [key, Object.fromEntries(Object.keys(cells).map((column) => [column, '1']))]),
  );

const isDecimal = (value: string): boolean => /^-?[\d,]*\.\d+$/.test(value);

const isEven = (value: string): boolean => /[02468]$/.test(value);

/** A decimal, so many hundredths of its last digit further from zero, with two digits more; everything else as it is. */
function moved(value: string, hundredths: bigint): string {
  if (!isDecimal(value)) return value;
  const [whole = '', part = ''] = value.replace(/[-,]/g, '').split('.');
  const digits = String(BigInt(whole + part) * 100n + hundredths).padStart(part.length + 3, '0');
  const [point, sign] = [digits.length - part.length - 2, value.startsWith('-') ? '-' : ''];
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Null where nothing is to be changed. */
function changed(text: string, find: RegExp, put: string): string | null {
  const after = text.replace(find, put);
  return after === text ? null : after;
}

/** `-12943.7` as `-129437e-1`. */
function exponential(value: string): string {
  const plain = /^(-?)([\d,]+)\.(\d+)$/.exec(value);
  return plain === null ? value : `${plain[1]}${(plain[2] ?? '').replaceAll(',', '')}${plain[3]}e-${plain[3]?.length}`;
}

const tenfold = (value: string): string =>
  /^-?[\d,]+$/.test(value) ? `${value}0` : value.replace(/^(-?[\d,]*)\.(\d)/, '$1$2.').replace(/^\[/, '[1');

function swappedColumns(shape: TableShape, printed: Values, print: Print): string | null {
  const [first, second] = shape.columns;
  if (first === undefined || second === undefined) return null;
  const plain = print(printed).split('\n');
  const header = (plain[1] ?? '').replace(`| ${first.key} | ${second.key} |`, `| ${second.key} | ${first.key} |`);
  return [plain[0], header, ...plain.slice(2)].join('\n');
}

/** The pairs that the judge of outputs gets wrong. */
export const misjudgedPairs = (pairs: readonly OutputPair[]): OutputPair[] =>
  pairs.filter(({ shape, printed, output, isRight }) => judgeTable(shape, printed, output).right !== isRight);
