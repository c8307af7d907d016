import { plainText } from '../../../../../src/domain/text/plain-text.js';
import { storableText } from '../../../../../src/domain/text/storable.js';
import type { PlanningGraph } from './planning-graph.js';
import { moduleOrder } from './unit-order.js';

/** The graph as Mermaid: modules as boxes with their files, data flow between them, uses between files. */
export function mermaidOf(graph: PlanningGraph): string {
  const fileId = new Map(graph.files.map(({ path }, index) => [path, `file${index + 1}`]));
  const moduleId = new Map(graph.modules.map(({ name }, index) => [name, `module${index + 1}`]));
  const boxes = graph.modules.flatMap(({ name, folder }) => [
    `  subgraph ${moduleId.get(name) ?? ''}["${label(folder === null ? name : `${name} · ${folder}/`)}"]`,
    ...graph.files
      .filter(({ module }) => module === name)
      .map(({ path }) => {
        const count = graph.interfaces.filter(({ file }) => file === path).length;
        const features = graph.features.filter(({ file }) => file === path).length;
        return `    ${fileId.get(path) ?? ''}["${label(path.split('/').slice(1).join('/'))}<br/>${counted(features, 'feature')}, ${counted(count, 'interface')}"]`;
      }),
    '  end',
  ]);
  const flows = graph.flows.map(
    ({ source, target, id, type }) =>
      `  ${moduleId.get(source) ?? ''} -- "${label(`${id}: ${type}`)}" --> ${moduleId.get(target) ?? ''}`,
  );
  const order = graph.files.flatMap(({ path, after }) =>
    after.map((other) => `  ${fileId.get(other) ?? ''} -.-> ${fileId.get(path) ?? ''}`),
  );
  return ['flowchart LR', ...boxes, ...flows, ...order, ''].join('\n');
}

const COLUMN = 280;
const BOX_WIDTH = 220;
const LINE = 18;
const GAP = 30;

interface Box {
  name: string;
  x: number;
  y: number;
  height: number;
  lines: string[];
}

/** The graph as a picture: a column for each step of the data flow, a box for each module with its files. */
export function svgOf(graph: PlanningGraph): string {
  const boxes = placedBoxes(graph);
  const width = Math.max(0, ...boxes.map(({ x }) => x)) + BOX_WIDTH + GAP;
  const height = Math.max(0, ...boxes.map(({ y, height: own }) => y + own)) + GAP;
  const at = new Map(boxes.map((box) => [box.name, box]));
  const arrows = graph.flows.flatMap(({ source, target, id, type }) => {
    const [from, to] = [at.get(source), at.get(target)];
    if (!from || !to) return [];
    return [
      `<path d="${arrow(from, to)}" fill="none" stroke="#888" marker-end="url(#end)"><title>${xml(`${id}: ${type}`)}</title></path>`,
    ];
  });
  const drawn = boxes.map(({ x, y, height: own, lines }) => {
    const texts = lines.map(
      (line, index) =>
        `<text x="${x + 10}" y="${y + 20 + index * LINE}"${index === 0 ? ' font-weight="bold"' : ''}>${xml(line)}</text>`,
    );
    return `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${own}" rx="6" fill="#f6f8fa" stroke="#57606a"/>${texts.join('')}`;
  });
  const marker =
    '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">${[marker, ...arrows, ...drawn].join('\n')}\n</svg>\n`;
}

/** From the right edge of a box to the left edge of another; past other columns it goes above them. */
function arrow(from: Box, to: Box): string {
  const [x1, y1, x2, y2] = [from.x + BOX_WIDTH, from.y + from.height / 2, to.x, to.y + to.height / 2];
  const curve = (left: number, top: number, right: number, bottom: number): string => {
    const middle = (left + right) / 2;
    return `C${middle} ${top} ${middle} ${bottom} ${right} ${bottom}`;
  };
  if (x2 - from.x <= COLUMN) return `M${x1} ${y1} ${curve(x1, y1, x2, y2)}`;
  const [space, gap] = [COLUMN - BOX_WIDTH, GAP / 2];
  return `M${x1} ${y1} ${curve(x1, y1, x1 + space, gap)} L${x2 - space} ${gap} ${curve(x2 - space, gap, x2, y2)}`;
}

/** A module stands one column right of the last module that data flows to it from. */
function placedBoxes(graph: PlanningGraph): Box[] {
  const ordered = moduleOrder(graph);
  const names = 'order' in ordered ? ordered.order : graph.modules.map(({ name }) => name);
  const columns = new Map<string, number>();
  const bottoms: number[] = [];
  return names.map((name) => {
    const sources = graph.flows.flatMap(({ source, target }) => (target === name ? [columns.get(source) ?? -1] : []));
    const column = Math.max(-1, ...sources) + 1;
    columns.set(name, column);
    const files = graph.files.filter(({ module }) => module === name).map(({ path }) => path);
    const lines = [name, ...files].map((line) => (line.length > 34 ? `${line.slice(0, 33)}…` : line));
    const y = (bottoms[column] ?? 0) + GAP;
    const height = lines.length * LINE + 14;
    bottoms[column] = y + height;
    return { name, x: GAP + column * COLUMN, y, height, lines };
  });
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Without what Mermaid takes for markup: quotes, tags, entities (`#`), Markdown (backticks). */
const label = (text: string): string =>
  shown(text)
    .replace(/["\n<>#`]/g, ' ')
    .slice(0, 80);

/** Names are a model's: without control characters, which no XML may hold, and without halves of characters. */
const shown = (text: string): string => storableText(plainText(text));

const xml = (text: string): string =>
  shown(text).replace(/[&<>"]/g, (found) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[found] ?? '');
