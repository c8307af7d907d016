import { html } from 'hono/html';
import type { Problem } from '../../contract/problem.js';
import { shown } from '../../report/page/page-frame.js';
import type { ViewPage } from '../frame.js';

/** Why there is nothing to see. */
export function problemPage(title: string, problems: readonly Problem[]): ViewPage {
  return {
    title,
    trail: [[title, null]],
    body: html`<h1>${title}</h1>
      ${problems.map(
        ({ message, expected, fix }) =>
          html`<p>${shown(message, 600)}</p>
            ${expected === undefined ? '' : html`<p>expected: ${shown(expected, 600)}</p>`}
            ${fix === undefined ? '' : html`<p>to fix it: <code>${shown(fix, 600)}</code></p>`}`,
      )}`,
  };
}
