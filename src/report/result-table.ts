import Table from 'cli-table3';
import { plainLine } from '../domain/text/plain-text.js';
import type { ReportTable } from '../suite/report.js';
import { cellText } from './report-details.js';
import { scoreRows, type ScoreRow } from './score-rows.js';
import type { ReportSubject } from './report-subject.js';
import { ABSENT, dollars, duration, grouped, percent, percentRange } from './text/number-text.js';

/** A column of a table, and what stands in it for a row. */
export interface TableColumn<Row> {
  title: string;
  cell: (row: Row) => string;
  align: 'left' | 'right';
  /** Where a terminal is too narrow the highest goes first; without one it stays. */
  rank?: number;
}

/**
 * How wide a table may be, in characters, and which columns go first where it is wider: the highest rank; 0 stays. Where
 * those that stay are too wide the longest texts are broken into lines.
 */
export interface TableFit {
  width: number;
  ranks: readonly number[];
}

/** The columns of the result table, in the order of every rendering. */
export function tableColumns({
  columns,
  campaign,
}: Pick<ReportSubject, 'columns' | 'campaign'>): TableColumn<ScoreRow>[] {
  const own = columns.map(({ id, title }): TableColumn<ScoreRow> => ({
    title,
    cell: (row) => percent(row.rates[id] ?? null),
    align: 'right',
    rank: 4,
  }));
  const score: TableColumn<ScoreRow> = {
    title: campaign.spec.repeats > 1 ? 'score (95 % by task)' : 'score (95 % Wilson)',
    cell: (row) => `${percent(row.score)} ${percentRange(row.interval)}`.trim(),
    align: 'right',
  };
  return [...BEFORE, score, MARKS, ...own, ...AFTER];
}

const BEFORE: readonly TableColumn<ScoreRow>[] = [
  { title: 'system', cell: (row) => row.system, align: 'left' },
  { title: 'group', cell: (row) => row.group ?? 'all', align: 'left' },
  { title: 'trials', cell: (row) => grouped(row.trials), align: 'right', rank: 2 },
  { title: 'scored', cell: (row) => grouped(row.scored), align: 'right', rank: 7 },
];
const MARKS: TableColumn<ScoreRow> = { title: 'marks', cell: (row) => row.marks.join(', ') || ABSENT, align: 'left' };
const AFTER: readonly TableColumn<ScoreRow>[] = [
  {
    title: 'errored (bounds)',
    cell: (row) => `${grouped(row.errored)} ${percentRange(row.error_bounds)}`.trim(),
    align: 'right',
    rank: 3,
  },
  { title: 'not run', cell: (row) => grouped(row.not_run), align: 'right', rank: 5 },
  { title: 'tokens', cell: (row) => grouped(row.tokens), align: 'right', rank: 8 },
  { title: 'cost', cell: (row) => dollars(row.usd), align: 'right', rank: 6 },
  { title: 'wall', cell: (row) => duration(row.wall_seconds), align: 'right', rank: 9 },
];

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Columns of text for a terminal, without colours and borders; those that are left out are named below. */
export function plainTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  aligns: readonly ('left' | 'right')[] = [],
  fit: TableFit = { width: Infinity, ranks: [] },
): string {
  const shown = fittingColumns([head, ...rows], fit);
  const pick = <Cell>(cells: readonly Cell[]): Cell[] => shown.map((index) => cells[index]!);
  const columns = head.map((_, index) => aligns[index] ?? 'left');
  const lines = [head, ...rows].map(pick);
  const widths = widthsWithin(lines, fit.width);
  const isPlain = widths.every((width) => width === null) && lines.flat().every((cell) => NARROW.test(cell));
  const table = isPlain ? paddedLines(lines, pick(columns)) : wholeTable(lines, pick(columns), widths);
  const left = head.filter((_, index) => !shown.includes(index));
  return left.length === 0 ? table : `${table}\nnot shown: ${left.join(', ')} (--wide)`;
}

const GAP = NO_BORDERS.middle.length;

/** The columns that fit, in their order. */
function fittingColumns(lines: readonly (readonly string[])[], { width, ranks }: TableFit): number[] {
  const widths = widthsOf(lines);
  const [head = []] = lines;
  const shown = head.map((_, index) => index);
  const isTooWide = (): boolean => shown.reduce((sum, index) => sum + widths[index]! + GAP, -GAP) > width;
  const leaving = shown.filter((index) => (ranks[index] ?? 0) > 0).sort((one, other) => ranks[other]! - ranks[one]!);
  for (const index of leaving) if (isTooWide()) shown.splice(shown.indexOf(index), 1);
  return shown;
}

/** No column of text becomes narrower. */
const LEAST_TEXT = 20;

/** The widest column takes the room that the others leave; null: as wide as what is in it. */
function widthsWithin(lines: readonly (readonly string[])[], width: number): (number | null)[] {
  const widths = widthsOf(lines);
  const excess = widths.reduce((sum, each) => sum + each + GAP, -GAP) - width;
  const widest = widths.indexOf(Math.max(...widths));
  const room = Math.max(widths[widest]! - excess, LEAST_TEXT);
  return widths.map((own, index) => (excess > 0 && index === widest && room < own ? room : null));
}

const widthsOf = (lines: readonly (readonly string[])[]): number[] =>
  (lines[0] ?? []).map((_, index) => Math.max(...lines.map((line) => longestLine(line[index] ?? ''))));

const longestLine = (cell: string): number => Math.max(...cell.split('\n').map((line) => line.length));

/** One line of characters that are all one column wide. */
const NARROW = /^[ -~–]*$/;

/** What {@link wholeTable} makes of such cells, for which the library takes tenths of a second where a campaign has 200 groups. */
function paddedLines(lines: string[][], aligns: ('left' | 'right')[]): string {
  const widths = widthsOf(lines).map((width) => Math.max(width, 1));
  const padded = (cell: string, at: number): string =>
    aligns[at] === 'left' ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!);
  return lines.map((line) => line.map(padded).join(NO_BORDERS.middle).trimEnd()).join('\n');
}

function wholeTable([head = [], ...rows]: string[][], aligns: ('left' | 'right')[], widths: (number | null)[]): string {
  const table = new Table({
    head,
    colAligns: aligns,
    colWidths: widths,
    wordWrap: true,
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The result table of a campaign for a terminal. @param width of the terminal */
export function resultTable(subject: ReportSubject, width = Infinity): string {
  return columnTable(tableColumns(subject), scoreRows(subject), width);
}

/** A table of rows for a terminal of that width. */
export function columnTable<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[], width = Infinity): string {
  return plainTable(
    columns.map(({ title }) => title),
    rows.map((row) => columns.map(({ cell }) => cell(row))),
    columns.map(({ align }) => align),
    { width, ranks: columns.map(({ rank = 0 }) => rank) },
  );
}

/** A further table of a report for a terminal, with its title above and its notes below. */
export function detailTable({ title, columns, rows, notes }: ReportTable, width = Infinity): string {
  const table = plainTable(
    columns.map((column) => column.title),
    rows.map((row) => row.map((cell, index) => plainLine(cellText(cell, columns[index]?.kind ?? 'text'), 120))),
    columns.map(({ kind }) => (kind === 'text' ? 'left' : 'right')),
    { width, ranks: [] },
  );
  return [title, table, ...notes.map((note) => `  ${note}`)].join('\n');
}
