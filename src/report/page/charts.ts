import { html, raw } from 'hono/html';
import type * as vega from 'vega';
import type { compile, TopLevelSpec } from 'vega-lite';
import type { Interval } from '../../domain/statistics/statistics.js';
import { shown, type Html } from './page-frame.js';

/** A rate with its interval, as a dot on a line. */
export interface RateMark {
  row: string;
  /** What rows are grouped by; one chart for each where there are several. */
  panel: string;
  value: number;
  interval: Interval | null;
}

/** An amount, as a bar with its figure beside it. */
export interface AmountBar {
  row: string;
  panel: string;
  value: number;
  /** The figure as people read it. */
  text: string;
}

const WIDTH = 520;
const INK = '#1b1f24';
const FILL = '#3d6fa8';
const CONFIG = {
  background: '#ffffff',
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: INK,
    titleColor: INK,
    labelLimit: 260,
    gridColor: '#d0d4da',
    labelFontSize: 12,
    titleFontSize: 12,
  },
  header: { labelColor: INK, labelFontSize: 12, labelFontWeight: 600, labelAlign: 'left', labelAnchor: 'start' },
} as const;
const ROW = { field: 'row', type: 'nominal', sort: null, title: null } as const;

/** Rates from 0 to 100 % with their 95 % intervals. */
export function rateChart(marks: readonly RateMark[], title: string): Promise<Html> {
  const values = marks.map(({ row, panel, value, interval }) => ({
    ...{ row: shown(row, 60), panel: shown(panel, 60), value },
    ...{ low: interval?.low ?? value, high: interval?.high ?? value },
  }));
  const scale = { domain: [0, 1] };
  const x = { type: 'quantitative', scale, axis: { format: '.0%', title: null, tickCount: 5 } } as const;
  return chart(title, values, [
    {
      mark: { type: 'rule', color: INK, strokeWidth: 2 },
      encoding: { y: ROW, x: { field: 'low', ...x }, x2: { field: 'high' } },
    },
    {
      mark: { type: 'point', filled: true, size: 90, color: FILL, opacity: 1 },
      encoding: { y: ROW, x: { field: 'value', ...x } },
    },
  ]);
}

/** Amounts of one unit. */
export function amountChart(bars: readonly AmountBar[], title: string): Promise<Html> {
  const values = bars.map(({ row, panel, value, text }) => ({
    row: shown(row, 60),
    panel: shown(panel, 60),
    value,
    text,
  }));
  const x = { field: 'value', type: 'quantitative', axis: null } as const;
  return chart(title, values, [
    { mark: { type: 'bar', color: FILL, height: { band: 0.7 } }, encoding: { y: ROW, x } },
    { mark: { type: 'text', align: 'left', dx: 4, color: INK }, encoding: { y: ROW, x, text: { field: 'text' } } },
  ]);
}

type Layers = Extract<TopLevelSpec, { layer: unknown }>['layer'];

/** vega and vega-lite as `npm run build` bundles them (packaging/charts.js says why). */
const BUNDLE = `../../..${import.meta.url.endsWith('.ts') ? '/dist' : ''}/vendor/charts.js`;
type Libraries = { vega: typeof vega; compile: typeof compile };

/** As inline SVG, drawn without a browser. The libraries are large, and loaded only where something is drawn. */
async function chart(title: string, values: readonly { panel: string }[], layer: Layers): Promise<Html> {
  const { vega, compile } = (await import(BUNDLE)) as Libraries;
  const panels = new Set(values.map(({ panel }) => panel)).size;
  const data = { values: values as object[] };
  const inner = { width: WIDTH, height: { step: 22 }, layer } as const;
  const spec: TopLevelSpec =
    panels < 2
      ? { data, config: CONFIG, ...inner }
      : {
          ...{ data, config: CONFIG, spacing: 14, resolve: { scale: { y: 'independent' } } },
          facet: { row: { field: 'panel', type: 'nominal', sort: null, title: null, header: { labelOrient: 'top' } } },
          spec: inner,
        };
  const logger = vega.logger(vega.Error);
  const view = new vega.View(vega.parse(compile(spec, { logger }).spec), { renderer: 'none', logger });
  const svg = await view.toSVG().finally(() => view.finalize());
  // One picture with one name: its table says the rest.
  const plain = svg.replace(/ (?:role|aria-[a-z]+)="[^"]*"/g, '').replace('<svg ', '<svg aria-hidden="true" ');
  return html`<div class="wide" role="img" aria-label="${shown(title)}" tabindex="0">${raw(plain)}</div>`;
}
