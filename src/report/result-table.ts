import Table from 'cli-table3';
import { plainLine } from '../domain/text/plain-text.js';
import type { ReportTable } from '../suite/report.js';
import { cellText } from './report-details.js';
import { scoreRows, type ScoreRow } from './score-rows.js';
import type { ReportSubject } from './report-subject.js';
import { ABSENT, dollars, duration, grouped, percent, percentRange } from './words/words.js';

interface TableColumn {
  title: string;
  cell: (row: ScoreRow) => string;
  align: 'left' | 'right';
}

/** The columns of the result table, in the order of every rendering. */
export function tableColumns({ columns }: Pick<ReportSubject, 'columns'>): TableColumn[] {
  const own = columns.map(({ id, title }): TableColumn => ({
    title,
    cell: (row) => percent(row.rates[id] ?? null),
    align: 'right',
  }));
  return [...BEFORE, ...own, ...AFTER];
}

const BEFORE: readonly TableColumn[] = [
  { title: 'system', cell: (row) => row.system, align: 'left' },
  { title: 'group', cell: (row) => row.group ?? 'all', align: 'left' },
  { title: 'trials', cell: (row) => grouped(row.trials), align: 'right' },
  { title: 'scored', cell: (row) => grouped(row.scored), align: 'right' },
  {
    title: 'score (95 % Wilson)',
    cell: (row) => `${percent(row.score)} ${percentRange(row.interval)}`.trim(),
    align: 'right',
  },
  { title: 'marks', cell: (row) => row.marks.join(', ') || ABSENT, align: 'left' },
];
const AFTER: readonly TableColumn[] = [
  {
    title: 'errored (bounds)',
    cell: (row) => `${grouped(row.errored)} ${percentRange(row.error_bounds)}`.trim(),
    align: 'right',
  },
  { title: 'not run', cell: (row) => grouped(row.not_run), align: 'right' },
  { title: 'tokens', cell: (row) => grouped(row.tokens), align: 'right' },
  { title: 'cost', cell: (row) => dollars(row.usd), align: 'right' },
  { title: 'wall', cell: (row) => duration(row.wall_seconds), align: 'right' },
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

/** Columns of text for a terminal, without colours and borders. */
export function plainTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  aligns: readonly ('left' | 'right')[] = [],
): string {
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, index) => aligns[index] ?? 'left'),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The result table of a campaign for a terminal. */
export function resultTable(subject: ReportSubject): string {
  const columns = tableColumns(subject);
  const rows = scoreRows(subject).map((row) => columns.map(({ cell }) => cell(row)));
  return plainTable(
    columns.map(({ title }) => title),
    rows,
    columns.map(({ align }) => align),
  );
}

/** A further table of a report for a terminal, with its title above and its notes below. */
export function detailTable({ title, columns, rows, notes }: ReportTable): string {
  const table = plainTable(
    columns.map((column) => column.title),
    rows.map((row) => row.map((cell, index) => plainLine(cellText(cell, columns[index]?.kind ?? 'text'), 120))),
    columns.map(({ kind }) => (kind === 'text' ? 'left' : 'right')),
  );
  return [title, table, ...notes.map((note) => `  ${note}`)].join('\n');
}
