import { html } from 'hono/html';
import type { ReportTable } from '../../suite/report.js';
import { cellText } from '../report-details.js';
import { noteText, shown, shownLines, type Html } from './page-frame.js';

/** A table as a section of a page. */
export interface PageTable {
  title: string;
  columns: readonly { title: string; isNumber: boolean }[];
  rows: readonly (readonly Html[])[];
}

/** A table that scrolls by itself where a screen is narrow, also by keyboard; without columns in which nothing stands. */
export function pageTable({ title, ...all }: PageTable): Html {
  const { columns, rows } = filled(all);
  const cells = (row: readonly Html[]): Html[] =>
    row.map((cell, index) => html`<td ${columns[index]?.isNumber ? html`class="number"` : ''}>${cell}</td>`);
  return html`<div class="wide" role="region" aria-label="${shown(title)}" tabindex="0">
    <table>
      <caption>
        ${shown(title)}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ title: head, isNumber }) => html`<th scope="col" ${isNumber ? html`class="number"` : ''}>${shown(head)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cells(row)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const isEmpty = (cell: Html | undefined): boolean => !(cell instanceof Promise) && (cell ?? '').trim() === '';

function filled({ columns, rows }: Omit<PageTable, 'title'>): Omit<PageTable, 'title'> {
  const kept = columns.map((_, at) => rows.length === 0 || rows.some((row) => !isEmpty(row[at])));
  const keptOf = <T>(all: readonly T[]): T[] => all.filter((_, at) => kept[at]);
  return { columns: keptOf(columns), rows: rows.map(keptOf) };
}

/** A table of a report, its notes below. */
export function reportTable({ title, columns, rows, notes }: ReportTable, caption = title): Html {
  const table = pageTable({
    title: caption,
    columns: columns.map(({ title: head, kind }) => ({ title: head, isNumber: kind !== 'text' })),
    rows: rows.map((row) =>
      row.map((cell, index) => html`${shownLines(cellText(cell, columns[index]?.kind ?? 'text'))}`),
    ),
  });
  return html`${rows.length === 0 ? '' : table} ${notes.map((note) => html`<p class="note">${noteText(note)}</p>`)}`;
}
