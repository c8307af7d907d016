import { PAGE_STYLE } from '../report/page/page-style.js';

/** Style of the pages: that of reports, and what only they have. */
export const VIEW_STYLE = `${PAGE_STYLE}
main:focus { outline: none; }
.trail { display: flex; flex-wrap: wrap; gap: .25rem .5rem; padding: 0; margin: 0 0 .75rem; list-style: none; font-size: .875rem; }
.trail li + li::before { content: "›"; margin-right: .5rem; color: var(--faint); }
.trail li, td, dd, pre, code, li { unicode-bidi: isolate; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere; }
pre { margin: .25rem 0; padding: .5rem .75rem; background: var(--soft); border-radius: 4px; font: .8125rem/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 32rem; overflow-y: auto; }
.outcome { display: inline-block; padding: 0 .4rem; border: 1px solid; border-radius: 3px; font-weight: 600; font-size: .875em; white-space: nowrap; }
.passed { color: #14622e; } .failed { color: #a40e26; } .errored { color: #7d4e00; } .not_run, .open { color: var(--faint); }
.diff ins { display: block; text-decoration: none; background: #e2f4e6; } .diff del { display: block; text-decoration: none; background: #fbe5e7; } .diff span { display: block; }
.steps { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; padding: 0; margin: .5rem 0; list-style: none; }
.filters { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; margin: .75rem 0; }
.filters label { display: grid; font-size: .875rem; color: var(--faint); min-width: 0; }
.filters select, .filters input, button { font: inherit; padding: .25rem .4rem; max-width: 100%; border: 1px solid #6b7280; border-radius: 4px; background: #fff; color: var(--ink); }
.beside { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(22rem, 1fr); gap: 1.25rem; overflow-x: auto; align-items: start; }
.beside > section { min-width: 0; }
.beside table { width: max-content; min-width: 100%; } .beside td { max-width: 16rem; }
@media screen { figure .waterfall { min-width: 45rem; } } .waterfall text { font: 12px system-ui, sans-serif; fill: var(--ink); } .waterfall .bar { fill: #3d6fa8; } .waterfall .broken { fill: #fff; stroke: #a40e26; stroke-width: 2; stroke-dasharray: 3 2; } .waterfall line { stroke: var(--line); }
.pairs { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .25rem 0; } .pairs div { display: flex; gap: .35rem; min-width: 0; } .pairs dt { color: var(--faint); } .pairs dd { margin: 0; min-width: 0; }
.lines { padding: 0; list-style: none; } .lines li { white-space: pre-wrap; }
progress { width: 14rem; max-width: 100%; accent-color: #3d6fa8; }
@media (max-width: 40rem) { .beside { grid-auto-flow: row; grid-auto-columns: auto; } }
`;

/** Keys `j` and `k`, and the part of a page that is read again while something runs. What comes is parsed as a document of its own, in which nothing runs. */
export const VIEW_SCRIPT = `'use strict';
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(?:INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const rel = { j: 'next', k: 'prev' }[event.key];
  const link = rel && document.querySelector('a[rel="' + rel + '"]');
  if (link) link.click();
});
const region = document.querySelector('[data-live]');
if (region && /^http/.test(location.protocol)) follow();
async function follow() {
  for (let pause = region.dataset.live === 'soon' ? 0 : 2000; ; ) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (document.hidden) { pause = 2000; continue; }
    const askedAt = Date.now();
    try {
      const answer = await fetch(location.pathname + '/live', { headers: { accept: 'application/json' } });
      const state = await answer.json();
      if (typeof state.html === 'string') show(state.html);
      if (state.isOver) return;
    } catch { pause = 10000; continue; }
    pause = Math.min(30000, Math.max(2000, 20 * (Date.now() - askedAt)));
  }
}
function show(text) {
  const at = document.activeElement && region.contains(document.activeElement) && document.activeElement.getAttribute('href');
  const read = new DOMParser().parseFromString(text, 'text/html');
  region.replaceChildren(...read.body.childNodes);
  if (at) for (const link of region.querySelectorAll('a')) if (link.getAttribute('href') === at) { link.focus(); break; }
}
`;
