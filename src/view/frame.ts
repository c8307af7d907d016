import { html, raw } from 'hono/html';
import { shown, type Html } from '../report/page/page-frame.js';
import type { Links } from './links.js';

/** What a page may do: its own style and script, and nothing from anywhere else. */
export const VIEW_POLICY = [
  "default-src 'none'",
  ...["style-src 'self'", "script-src 'self'", "connect-src 'self'", "form-action 'self'"],
  ...['img-src data:', "base-uri 'none'"],
].join('; ');

/** A page with its way back. */
export interface ViewPage {
  /** Untrusted text. */
  title: string;
  /** From the campaigns to this page: names with their addresses. */
  trail: readonly (readonly [name: string, address: string | null])[];
  body: Html;
}

/** A whole document. */
export async function viewDocument(links: Links, { title, trail, body }: ViewPage): Promise<string> {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${raw(VIEW_POLICY)}" />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${links.style}" />
        <script src="${links.script}" defer></script>
        <title>${shown(title, 100)} · Durabench</title>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <nav aria-label="Where you are">
          <ol class="trail">
            <li><a href="${links.campaigns}">campaigns</a></li>
            ${trail.map(([name, address]) =>
              address === null
                ? html`<li aria-current="page">${shown(name, 120)}</li>`
                : html`<li><a href="${address}">${shown(name, 120)}</a></li>`,
            )}
          </ol>
        </nav>
        <main id="main" tabindex="-1">${body}</main>
      </body>
    </html>`;
  return `${String(await page).trim()}\n`;
}
