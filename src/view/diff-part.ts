import { html } from 'hono/html';
import { plainText } from '../domain/text/plain-text.js';
import type { Html } from '../report/page/page-frame.js';
import { grouped } from '../report/text/number-text.js';

const MOST_LINES = 1_500;
const LONGEST_LINE = 2_000;

/** A diff that has every line of both texts: what was added and taken away is marked by sign, element and colour. */
export function diffPart(diff: string): Html {
  // Megabytes in a line are not looked at.
  const lines = diff.slice(0, MOST_LINES * LONGEST_LINE).split('\n');
  const shownLines = lines.slice(0, MOST_LINES).map((line) => {
    const text = plainText(line.slice(0, LONGEST_LINE));
    if (line.startsWith('+')) return html`<ins>${text}</ins>`;
    return line.startsWith('-') ? html`<del>${text}</del>` : html`<span>${text === '' ? ' ' : text}</span>`;
  });
  const more = lines.length - MOST_LINES;
  return html`<pre class="diff" tabindex="0">${shownLines}</pre>
    ${more > 0 ? html`<p class="note">… ${grouped(more)} more lines</p>` : ''}`;
}
