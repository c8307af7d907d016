/** Style of every page: for screens from 360 px up, and for paper. Colours have a contrast of at least 4.5 : 1 and carry no meaning alone. */
export const PAGE_STYLE = `
:root { color-scheme: light; --line: #d0d4da; --soft: #f4f5f7; --ink: #1b1f24; --faint: #57606a; --link: #0b57a4; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; color: var(--ink); background: #fff; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
p, li, dd { overflow-wrap: anywhere; }
td, th { overflow-wrap: break-word; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; background: #fff; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; }
.facts dt { color: var(--faint); }
.facts dd { margin: 0; }
.wide { overflow-x: auto; margin: .75rem 0; }
.wide:has(table) { border: 1px solid var(--line); border-radius: 4px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
caption { text-align: left; padding: .4rem .6rem; font-weight: 600; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
td { max-width: 24rem; }
th { background: var(--soft); }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
figure { margin: .75rem 0; min-width: 0; }
figure svg { display: block; max-width: 100%; min-width: 30rem; height: auto; }
figcaption, .note { color: var(--faint); font-size: .875rem; margin: .25rem 0; }
.warning { border-left: 4px solid #9a6700; padding: .25rem .75rem; background: #fff8e5; }
code { font: .875em ui-monospace, monospace; overflow-wrap: anywhere; }
details { margin: .4rem 0; }
details ul { columns: 22rem; font-size: .875rem; }
@media screen and (max-width: 40rem) { table { width: max-content; min-width: 100%; } td { max-width: 20rem; } }
@media (max-width: 40rem) { body { padding: .75rem; } .facts { grid-template-columns: 1fr; } .facts dd { margin-bottom: .4rem; } }
@page { size: landscape; margin: 1cm; }
@media print { table { font-size: 7pt; } th, td { padding: .15rem .3rem; } th, td, .number { white-space: normal; } td { max-width: none; } table:has(th:nth-child(17)) :is(th, td) { overflow-wrap: anywhere; } body { max-width: none; font-size: 10pt; } nav, .skip { display: none; } .wide { overflow: visible; border: 0; } figure svg { min-width: 0; } a { color: inherit; text-decoration: none; } h2, caption { break-after: avoid; } tr, figure { break-inside: avoid; } }
`;
