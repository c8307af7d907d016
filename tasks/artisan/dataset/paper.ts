import type { Problem } from '../../../src/contract/problem.js';
import { valueProblem, type Tolerance } from '../judge/cell.js';
import { isWithinHalf, readDecimal, roundsTo, unitOf } from '../judge/decimal.js';
import { hiddenCells, masked, type TableShape, type Values } from '../judge/table.js';
import { wrong } from './read-study.js';
import type { TableSpec } from './study-schema.js';

/** Numbers as papers print them. */
const NUMBER = /(?:<\s*)?[-+\u2212]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?/g;

/** Fewer stand somewhere by chance. */
const FEWEST_DIGITS = 3;

/** A value in the paper: its line and column from 0, its text. */
interface Spot {
  line: number;
  at: number;
  text: string;
}

/** What of the paper a table is. */
export interface PrintedTable {
  shape: TableShape;
  values: Values;
  /** Where the hidden ones stand. */
  hidden: Spot[];
}

/** The table as its columns and rows are described. */
const shapeOf = ({ columns, rows }: TableSpec): TableShape => ({
  columns: Object.entries(columns).map(([key, { type, significant }]) => ({
    key,
    type,
    ...(significant === undefined ? {} : { tolerance: { significant } }),
  })),
  rows: Object.entries(rows).map(([key, { cells, given }]) => ({
    key,
    cells: Object.fromEntries(
      cells.map((cell) => [cell, given.includes(cell) ? ('given' as const) : ('hidden' as const)]),
    ),
  })),
});

/** Reads a table's values out of the paper, or says what is not there. `first`: which line of its file the paper begins with. */
export function readPrinted(
  paper: string,
  table: TableSpec,
  { place, first = 1 }: { place: string; first?: number },
): PrintedTable | { problems: Problem[] } {
  const [from, to] = table.lines ?? [first, Infinity];
  const [lines, shape, problems] = [paper.split('\n'), shapeOf(table), [] as Problem[]];
  const values: Record<string, Record<string, string>> = {};
  const hidden: Spot[] = [];
  for (const [row, { anchor, nth, cells, given }] of Object.entries(table.rows)) {
    const all = lines.flatMap((text, line) => {
      const found = new RegExp(anchor).exec(text);
      return found === null || line + first < from || line + first > to
        ? []
        : [{ line, from: found.index + found[0].length }];
    });
    const fitting = nth === undefined ? all : all.slice(nth - 1, nth);
    const [spot] = fitting;
    if (spot === undefined || fitting.length > 1) {
      const how = spot === undefined ? 'no line' : `${fitting.length} lines`;
      problems.push(wrong(place, `rows.${row}: the anchor fits ${how} of the paper`, 'write one that fits one line'));
      continue;
    }
    const spots = numbersIn(lines[spot.line] ?? '', spot);
    values[row] = Object.fromEntries(cells.map((cell, index) => [cell, spots[index]?.text ?? '']));
    cells.forEach((cell, index) => {
      const [at, column] = [spots[index], shape.columns.find(({ key }) => key === cell)];
      const problem =
        at === undefined || column === undefined
          ? 'the paper has no value there'
          : valueProblem({ ...column, printed: at.text });
      if (problem !== null)
        problems.push(wrong(place, `rows.${row}: ${cell}: ${problem}`, 'correct the anchor or the cells'));
      if (at !== undefined && !given.includes(cell)) hidden.push(at);
    });
  }
  return problems.length > 0 ? { problems } : { shape, values, hidden };
}

const numbersIn = (text: string, { line, from }: { line: number; from: number }): Spot[] =>
  [...text.slice(from).matchAll(NUMBER)].map((match) => ({ line, at: from + match.index, text: match[0] }));

/**
 * The paper without its hidden values: not where they stand, and, of three digits or more, nowhere else either, neither in these digits
 * nor as a number that rounds to one.
 */
export function maskPaper(paper: string, tables: readonly PrintedTable[]): string {
  const lines = paper.split('\n');
  for (const { line, at, text } of [...tables.flatMap(({ hidden }) => hidden), ...tellingSpots(paper, tables)]) {
    const before = lines[line] ?? '';
    lines[line] = before.slice(0, at) + masked(text) + before.slice(at + text.length);
  }
  const long = tables.flatMap(longValues);
  return long.reduce((text, value) => text.replaceAll(value, masked(value)), lines.join('\n'));
}

/** The numbers of a text that tell a hidden value of a table, as they are written: without signs. */
export const tellingNumbers = (text: string, tables: readonly Pick<PrintedTable, 'shape' | 'values'>[]): string[] =>
  tellingSpots(text, tables).map((spot) => spot.text);

function tellingSpots(paper: string, tables: readonly Pick<PrintedTable, 'shape' | 'values'>[]): Spot[] {
  const isTold = tables.flatMap(({ shape, values }) =>
    hiddenCells(shape).map(({ row, column }) => takenFor(values[row]?.[column.key] ?? '', column.tolerance)),
  );
  return paper.split('\n').flatMap((text, line) =>
    numbersIn(text, { line, from: 0 })
      .flatMap(barely)
      .filter((spot) => isTold.some((isOne) => isOne(spot.text))),
  );
}

/** A number without its sign, or the members of a list that stands without blanks. */
function barely({ line, at, text }: Spot): Spot[] {
  const whole = /[\d.].*\d|\d/.exec(text);
  if (whole === null) return [];
  const [bare, from] = [whole[0], at + whole.index];
  if (readDecimal(bare) !== null) return [{ line, at: from, text: bare }];
  return [...bare.matchAll(/[^,]+/g)].map((part) => ({ line, at: from + part.index, text: part[0] }));
}

/** Whether a number, its sign apart, would be right in the place of a hidden value; only of those with digits enough for it to be no chance. */
function takenFor(value: string, tolerance: Tolerance | undefined): (text: string) => boolean {
  const bare = unsigned(value);
  const hidden = readDecimal(bare);
  if (hidden === null || hidden.digits === 0n || digitsOf(bare).length < FEWEST_DIGITS) return () => false;
  const unit = tolerance !== undefined && 'significant' in tolerance ? unitOf(hidden, tolerance.significant) : null;
  return (text) => {
    const number = readDecimal(text);
    if (number === null || digitsOf(text).replace(/^0+/, '').length < FEWEST_DIGITS) return false;
    return unit === null ? roundsTo(number, hidden) : isWithinHalf(number, hidden, unit);
  };
}

/** Without those of an exponent. */
const digitsOf = (text: string): string => text.replace(/e.*$/i, '').replace(/\D/g, '');

/** The hidden values of a table that are too long to stand somewhere by chance. */
export const longValues = ({ shape, values }: Pick<PrintedTable, 'shape' | 'values'>): string[] =>
  hiddenCells(shape)
    .map(({ row, column }) => values[row]?.[column.key] ?? '')
    .filter((value) => value.replace(/\D/g, '').length >= FEWEST_DIGITS)
    .map(unsigned);

/** As prose often says a number: without `-`, `<` or `%`. */
const unsigned = (value: string): string => value.replace(/^[^\d.]+|%$/g, '');
