import { fencedBlocks } from '../../../src/suite-kit/fenced-blocks.js';
import {
  isRight,
  judgeCell,
  plainText,
  type CellOutcome,
  type CellType,
  type Expected,
  type Tolerance,
} from './cell.js';

/** A column of a table: what its cells hold. */
export interface Column {
  key: string;
  type: CellType;
  tolerance?: Tolerance | undefined;
}

/** A table of a study: which cells it has, and which of them are hidden from whoever is to reproduce it. */
export interface TableShape {
  columns: readonly Column[];
  /** `cells`: column → hidden, or given in the task. A column that is left out has no cell in this row. */
  rows: readonly {
    key: string;
    cells: Readonly<Record<string, 'hidden' | 'given'>>;
    /** Column → where its value may fall, of cells that chance has a hand in. */
    intervals?: Intervals[string];
  }[];
}

/** Row → column → bounds. */
export type Intervals = Readonly<Record<string, Readonly<Record<string, { low: string; high: string }>>>>;

/** The table with other bounds. */
export const withIntervals = (shape: TableShape, intervals: Intervals | undefined): TableShape =>
  intervals === undefined
    ? shape
    : { ...shape, rows: shape.rows.map((row) => ({ ...row, intervals: intervals[row.key] ?? {} })) };

/** Row → column → text. */
export type Values = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What was found in one hidden cell. */
interface JudgedCell {
  row: string;
  column: string;
  outcome: CellOutcome;
  /** As printed, cut; null where nothing was. */
  given: string | null;
}

/** What a script's output holds of a table. */
export interface JudgedTable {
  cells: JudgedCell[];
  /** Row → all its hidden cells are right. */
  rows: Record<string, boolean>;
  right: boolean;
  /** Why no cell could be looked at; null where they were. */
  problem: string | null;
}

/** What the fence of the table is called: ```` ```table ````. */
const BLOCK = 'table';
/** Of what somebody printed, in evidence. */
const LONGEST = 80;

/** The cells of the last block of an output, by their keys. Two that have one key are none: nobody says which is meant. */
export function readTable(output: string): { cells: (row: string, column: string) => string | undefined } | string {
  const lines = [...fencedBlocks(output.split(/\r?\n/))].findLast(({ info }) => info.split(/\s/)[0] === BLOCK)?.lines;
  if (lines === undefined) return `the output has no block of the kind \`\`\`${BLOCK}`;
  const [header, rule, ...rows] = lines.filter((line) => line.trim().startsWith('|')).map(cellsOf);
  if (header === undefined || rule === undefined || !rule.every((cell) => /^:?-+:?$/.test(cell)))
    return 'the block holds no Markdown table: a header, a line of dashes, rows';
  const [columns, keys] = [header.map(keyOf), rows.map(([first]) => keyOf(first ?? ''))];
  return {
    cells(row, column) {
      const [at, of] = [indexesOf(keys, keyOf(row)), indexesOf(columns.slice(1), keyOf(column))];
      if (at.length === 0 || of.length === 0) return undefined;
      return at.length === 1 && of.length === 1 ? rows[at[0] ?? 0]?.[(of[0] ?? 0) + 1] : AMBIGUOUS;
    },
  };
}

/** What no type of cell can read. */
const AMBIGUOUS = '(given twice)';

const keyOf = (text: string): string => plainText(text).toLowerCase();

const indexesOf = (keys: readonly string[], key: string): number[] =>
  keys.flatMap((each, index) => (each === key ? [index] : []));

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Compares an output with what a table is to hold. The cells that are asked for are those of `shape`: given ones count for nothing. */
export function judgeTable(shape: TableShape, expected: Values, output: string): JudgedTable {
  const table = readTable(output);
  const cells = hiddenCells(shape).map(({ row, column }): JudgedCell => {
    const given = typeof table === 'string' ? undefined : table.cells(row, column.key);
    const outcome = given === AMBIGUOUS ? 'unreadable' : judgeCell(expectedOf(column, expected, row), given);
    return { row, column: column.key, outcome, given: given === undefined ? null : given.slice(0, LONGEST) };
  });
  const rows = Object.fromEntries(
    shape.rows.map(({ key }) => [key, cells.every(({ row, outcome }) => row !== key || isRight(outcome))]),
  );
  const right = cells.every(({ outcome }) => isRight(outcome));
  return { cells, rows, right, problem: typeof table === 'string' ? table : null };
}

/** The cells that are asked for, row by row. */
export const hiddenCells = ({ columns, rows }: TableShape): { row: string; column: Column }[] =>
  rows.flatMap(({ key, cells, intervals }) =>
    columns
      .filter((column) => cells[column.key] === 'hidden')
      .map((column) => ({ row: key, column: { ...column, tolerance: intervals?.[column.key] ?? column.tolerance } })),
  );

/** What a cell is to hold, where the values of a table are these. */
export function expectedOf({ key, type, tolerance }: Column, values: Values, row: string): Expected {
  const printed = values[row]?.[key];
  if (printed === undefined) throw new TypeError(`the table has no value in ${row}, ${key}`);
  return { type, printed, tolerance };
}

/** A table as Markdown, in a block that {@link readTable} reads. */
export function formatTable(shape: TableShape, text: (row: string, column: Column) => string): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const body = shape.rows.map(({ key, cells }) =>
    line([key, ...shape.columns.map((column) => (column.key in cells ? text(key, column) : ''))]),
  );
  const header = line(['', ...shape.columns.map(({ key }) => key)]);
  const rule = line(['---', ...shape.columns.map(() => '---')]);
  return [`\`\`\`${BLOCK}`, header, rule, ...body, '```'].join('\n');
}

/** A value with `?` for every digit: what is asked for, to which precision. */
export const masked = (value: string): string => value.replace(/\d/g, '?');
