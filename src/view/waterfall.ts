import { html } from 'hono/html';
import { shown, type Html } from '../report/page/page-frame.js';
import { pageTable } from '../report/page/page-table.js';
import { duration } from '../report/text/number-text.js';
import { folded } from './text-parts.js';

/** An attempt at a stage, as the records have it. */
interface Attempt {
  stage: string;
  step: string;
  n: number;
  attempt: number;
  startedAt: string;
  endedAt: string;
  failure: { type: string } | null;
}

const LABEL = 210;
const WIDTH = 760;
const ROW = 20;
/** Bars of an agent's turns beyond these are in the table of steps. */
const MOST_ROWS = 120;
const MOST_LABEL = 30;

/** How steps are named: `vote match-2`, `execute run (run 2)`. */
export const stepName = ({ stage, step, n }: Pick<Attempt, 'stage' | 'step' | 'n'>): string =>
  `${stage}${step === '' ? '' : ` ${step}`}${n > 1 ? ` (run ${n})` : ''}`;

/** Attempts over time, one bar each, and the same as a table. */
export function waterfall(all: readonly Attempt[]): Html {
  const attempts = all.slice(0, MOST_ROWS);
  if (attempts.length === 0) return html`<p>No step has ended yet.</p>`;
  const start = Math.min(...attempts.map(({ startedAt }) => Date.parse(startedAt)));
  const end = Math.max(...attempts.map(({ endedAt }) => Date.parse(endedAt)));
  const scale = (WIDTH - LABEL - 70) / Math.max(1, end - start);
  const bars = attempts.map((attempt, index) => {
    const [from, to] = [Date.parse(attempt.startedAt), Date.parse(attempt.endedAt)];
    const x = LABEL + (from - start) * scale;
    const width = Math.max(2, (to - from) * scale);
    const y = index * ROW;
    return html`<text x="0" y="${y + 14}">${shown(stepName(attempt), MOST_LABEL)}</text>
      <rect
        class="${attempt.failure === null ? 'bar' : 'broken'}"
        x="${x.toFixed(1)}"
        y="${y + 4}"
        width="${width.toFixed(1)}"
        height="12"
      ></rect>
      <text x="${(x + width + 4).toFixed(1)}" y="${y + 14}">${duration((to - from) / 1000)}</text>`;
  });
  const height = attempts.length * ROW + 4;
  const more = all.length - attempts.length;
  return html`<figure>
      <div class="wide" role="img" aria-label="Attempts at stages over time" tabindex="0">
        <svg class="waterfall" aria-hidden="true" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
          <line x1="${LABEL}" y1="0" x2="${LABEL}" y2="${height}"></line>
          ${bars}
        </svg>
      </div>
      <figcaption>
        ${duration((end - start) / 1000)} from the first start to the last end; dashed bars are attempts that failed.
        ${more > 0 ? `${more} more are not drawn.` : ''}
      </figcaption>
    </figure>
    ${folded('As a table', attemptTable(attempts))}`;
}

function attemptTable(attempts: readonly Attempt[]): Html {
  return pageTable({
    title: 'Attempts at stages',
    columns: [
      ...['step', 'attempt', 'started (UTC)'].map((title) => ({ title, isNumber: false })),
      { title: 'took', isNumber: true },
      { title: 'failed by', isNumber: false },
    ],
    rows: attempts.map((each) => [
      html`${shown(stepName(each), 80)}`,
      html`${each.attempt}`,
      html`${each.startedAt.slice(0, 19).replace('T', ' ')}`,
      html`${duration((Date.parse(each.endedAt) - Date.parse(each.startedAt)) / 1000)}`,
      html`${each.failure?.type ?? ''}`,
    ]),
  });
}
