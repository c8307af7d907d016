import { html, raw } from 'hono/html';
import { plainLine } from '../../domain/text/plain-text.js';
import { noteParts } from '../text/note-parts.js';
import { PAGE_STYLE } from './page-style.js';

/** Escaped HTML. */
export type Html = ReturnType<typeof html>;

/** A page that asks nothing of any server and runs nothing: whatever a model wrote into it stays text. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** A whole document. @param title untrusted text */
export function pageFrame(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${raw(POLICY)}" />
        <link rel="icon" href="data:," />
        <title>${shown(title, 100)}</title>
        <style>
          ${raw(PAGE_STYLE)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

/** Text of a model, a candidate or a user, on one line, without control sequences; escaped where it is put into `html`. */
export const shown = (text: string, most = 300): string => plainLine(text, most);

/** The same of several lines. */
export function shownLines(text: string, most = 600): Html[] {
  return text.split('\n').map((line, index) => html`${index > 0 ? raw('<br>') : ''}${shown(line, most)}`);
}

/** A note of ours, on one line. */
export function noteText(text: string, most = 600): Html[] {
  return noteParts(shown(text, most)).map(({ text: part, isCode }) =>
    isCode ? html`<code>${part}</code>` : html`${part}`,
  );
}
