import { html } from 'hono/html';
import type { TrialRow } from '../client/index.js';
import { plainText } from '../domain/text/plain-text.js';
import { shown, type Html } from '../report/page/page-frame.js';
import { grouped } from '../report/text/number-text.js';

/** Characters of a text that a page shows. */
const LONGEST = 20_000;

/** Text of several lines, as it was written but for what acts on a reader; where it is cut, that is said. */
export function textBlock(text: string, { most = LONGEST, beyondBytes = 0 } = {}): Html {
  const cut = text.length - most;
  const rest =
    cut > 0 ? `… ${grouped(cut)} more characters` : beyondBytes > 0 ? `… ${grouped(beyondBytes)} more bytes` : '';
  return html`<pre tabindex="0">${plainText(text.slice(0, most))}</pre>
    ${rest === '' ? '' : html`<p class="note">${rest}</p>`}`;
}

/** Labels with their words, null left out. */
export function facts(rows: readonly (readonly [string, Html | string | null])[]): Html {
  return html`<dl class="facts">
    ${rows.map(([name, value]) =>
      value === null
        ? ''
        : html`<dt>${name}</dt>
            <dd>${typeof value === 'string' ? shown(value, 2_000) : value}</dd>`,
    )}
  </dl>`;
}

/** Names with their values, one after the other. */
export function pairs(rows: readonly (readonly [string, string])[]): Html {
  return html`<dl class="pairs">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${shown(name, 60)}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** How a trial stands, in a word. */
export function outcomeMark({ outcome, state }: Pick<TrialRow, 'outcome' | 'state'>): Html {
  return html`<span class="outcome ${outcome ?? 'open'}">${outcome?.replace('_', ' ') ?? state}</span>`;
}

/** A section with its heading. */
export function section(id: string, title: string, body: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${body}
  </section>`;
}

/** Something that is opened by whoever wants to see it. */
export function folded(title: string | Html, body: Html, isOpen = false): Html {
  return html`<details ${isOpen ? html`open` : ''}>
    <summary>${typeof title === 'string' ? shown(title) : title}</summary>
    ${body}
  </details>`;
}
