import { html } from 'hono/html';
import type { FailureAnalysis, FailureClass } from '../failures/failure-analysis.js';
import { className, failureTables } from '../failures/failure-tables.js';
import { counted, grouped } from '../text/number-text.js';
import { amountChart } from './charts.js';
import { shown, type Html } from './page-frame.js';
import { reportTable } from './page-table.js';

/** Where failed trials were lost, with samples of each class in lists that open; null where none failed. */
export async function failurePart(analysis: FailureAnalysis): Promise<Html | null> {
  const tables = failureTables(analysis);
  if (tables.length === 0) return null;
  const bars = analysis.classes.map(({ system, class: name, failed }) => {
    return { row: className(name), panel: system, value: failed, text: grouped(failed) };
  });
  const title = 'Failed trials by class';
  return html`${
    bars.length === 0
      ? ''
      : html`<figure>
          ${await amountChart(bars, title)}
          <figcaption>${title}; a panel for each system.</figcaption>
        </figure>`
  }
  ${tables.map((table) => reportTable(table))} ${analysis.classes.map(sampleList)}`;
}

function sampleList({ system, class: name, failed, samples }: FailureClass): Html {
  return html`<details>
    <summary>
      ${shown(system, 60)}, ${shown(className(name), 60)}: ${counted(samples.length, 'sample')} of ${grouped(failed)}
    </summary>
    <ul>
      ${samples.map(
        ({ trial, reason, excerpt }) =>
          html`<li>
            <code>${shown(trial)}</code> ${shown(reason)}${excerpt === null ? '' : html`: ${shown(excerpt, 300)}`}
          </li>`,
      )}
    </ul>
  </details>`;
}
