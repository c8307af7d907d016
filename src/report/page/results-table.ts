import { html } from 'hono/html';
import type { ReportSubject } from '../report-subject.js';
import { tableColumns } from '../result-table.js';
import type { ScoreRow } from '../score-rows.js';
import { grouped } from '../text/number-text.js';
import { shown, type Html } from './page-frame.js';
import { pageTable } from './page-table.js';
import { listId } from './trial-lists.js';
import type { TrialSample } from './trial-samples.js';

const COUNTS = ['passed', 'failed', 'errored', 'not_run'] as const;

/** The result table; counts lead to the lists of their trials. */
export function resultsTable(subject: ReportSubject, rows: readonly ScoreRow[], samples: readonly TrialSample[]): Html {
  const columns = tableColumns(subject).filter(({ title }) => title !== 'not run');
  // Behind the number of trials, before the score.
  const place = columns.findIndex(({ title }) => title === 'scored') + 1;
  const head = [
    ...columns.slice(0, place).map(({ title, align }) => ({ title, isNumber: align === 'right' })),
    ...COUNTS.map((outcome) => ({ title: outcome.replace('_', ' '), isNumber: true })),
    ...columns.slice(place).map(({ title, align }) => ({ title, isNumber: align === 'right' })),
  ];
  const cells = (row: ScoreRow): Html[] => {
    const own = columns.map(({ cell }) => html`${shown(cell(row))}`);
    return [...own.slice(0, place), ...COUNTS.map((outcome) => countCell(row, outcome, samples)), ...own.slice(place)];
  };
  return pageTable({ title: 'Results by system and group', columns: head, rows: rows.map(cells) });
}

function countCell(row: ScoreRow, outcome: (typeof COUNTS)[number], samples: readonly TrialSample[]): Html {
  const count = row[outcome];
  const list = samples.find(
    ({ systemId, group, ...each }) =>
      systemId === row.system && each.outcome === outcome && (row.group === null || group === row.group),
  );
  if (count === 0 || list === undefined) return html`${grouped(count)}`;
  return html`<a href="#${listId(list)}">${grouped(count)}</a>`;
}
