import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Scalar } from 'yaml';
import type { TreeFile } from './artifact-tree.js';
import { LONGEST_MATCH, type Place } from './study-record.js';

/** A line of a file, counted from 1. */
export interface Line {
  file: string;
  number: number;
  text: string;
}

/** What of a file is code, without comments, and what is prose. Null: it could not be read. */
export function readLines(file: TreeFile): { code: Line[]; prose: Line[] } | null {
  const { path, kind, text } = file;
  if (text === null) return null;
  if (path.toLowerCase().endsWith('.ipynb')) return notebookLines(path, text);
  const lines = text.split(/\r?\n/).map((each, index) => ({ file: path, number: index + 1, text: each }));
  if (/\.[rq]md$/i.test(path)) {
    const { inside, outside } = chunksOf(lines);
    return { code: withoutComments(path, inside), prose: outside };
  }
  return kind === 'prose' ? { code: [], prose: lines } : { code: withoutComments(path, lines), prose: [] };
}

/** Cells of a notebook, each line by where it stands in the file; what its outputs say does not count. */
function notebookLines(file: string, text: string): { code: Line[]; prose: Line[] } | null {
  const counter = new LineCounter();
  // JSON is YAML, and of YAML the places are known.
  const document = parseDocument(text, { lineCounter: counter });
  const cells = document.get('cells');
  if (document.errors.length > 0 || !isSeq(cells)) return null;
  const read = (cell: unknown): { type: unknown; lines: Line[] } => {
    const source: unknown = isMap(cell) ? cell.get('source', true) : null;
    const parts = (isSeq(source) ? source.items : [source]).filter((part): part is Scalar => isScalar(part));
    const lines = parts.flatMap(({ value, range }) =>
      String(value)
        .replace(/\n$/, '')
        .split('\n')
        .map((each) => ({ file, number: range ? counter.linePos(range[0]).line : 1, text: each })),
    );
    return { type: isMap(cell) ? cell.get('cell_type') : null, lines };
  };
  const all = cells.items.map(read);
  const of = (type: string): Line[] => all.filter((cell) => cell.type === type).flatMap(({ lines }) => lines);
  return { code: withoutComments('cell.py', of('code')), prose: of('markdown') };
}

/** Fenced chunks of R Markdown, and what stands between them. */
function chunksOf(lines: readonly Line[]): { inside: Line[]; outside: Line[] } {
  const [inside, outside]: [Line[], Line[]] = [[], []];
  let isInside = false;
  for (const line of lines) {
    if (/^\s*```/.test(line.text)) isInside = !isInside;
    else (isInside ? inside : outside).push(line);
  }
  return { inside, outside };
}

/** The same lines, empty where they only comment or document; Python's long strings count as documentation. */
function withoutComments(path: string, lines: readonly Line[]): Line[] {
  const hasSlashes = /\.(m?js|ts|java|scala|c|cc|cpp|h|hpp|rs|go)$/i.test(path);
  const isPython = path.endsWith('.py');
  let closing: string | null = null;
  return lines.map((line) => {
    if (closing !== null) {
      if (line.text.includes(closing)) closing = null;
      return { ...line, text: '' };
    }
    const opened = (isPython ? /^\s*[rbuf]*("""|''')/i : hasSlashes ? /^\s*\/\*/ : null)?.exec(line.text);
    if (opened) {
      const end = opened[1] ?? '*/';
      if (!line.text.slice(opened[0].length).includes(end)) closing = end;
      return { ...line, text: '' };
    }
    return { ...line, text: line.text.replace(hasSlashes ? /(^|\s)\/\/.*$/ : /(^|\s)#.*$/, '') };
  });
}

/** A sentence of prose, and where its parts stand. */
export interface Sentence {
  text: string;
  /** Where a match in it begins; what of it stands in that line. */
  placeOf(match: RegExpMatchArray): Place;
}

/** Sentences of prose, also over several lines; an item of a list, a heading and a row of a table (with its header) stand alone. */
export function sentencesOf(lines: readonly Line[]): Sentence[] {
  const sentences: Sentence[] = [];
  let open: Line[] = [];
  let header: string | null = null;
  const close = (): void => {
    sentences.push(...split(open));
    open = [];
  };
  for (const line of lines) {
    const isRow = /^\s*\|/.test(line.text);
    if (!isRow) header = null;
    if (isRow || /^\s*$|^\s*([-*+]|\d+[.)]|#|```)/.test(line.text)) close();
    if (isRow) {
      header ??= line.text;
      sentences.push(sentence([line], header === line.text ? '' : header));
    } else if (line.text.trim() !== '') open.push(line);
    if (/^\s*#/.test(line.text)) close();
  }
  close();
  return sentences;
}

function split(lines: readonly Line[]): Sentence[] {
  if (lines.length === 0) return [];
  const parts: Line[][] = [[]];
  for (const line of lines) {
    const pieces = line.text.split(/(?<=[.!?])\s+(?=[A-Z*`"(\d])/);
    pieces.forEach((text, index) => {
      if (index > 0) parts.push([]);
      parts.at(-1)?.push({ ...line, text });
    });
    if (/[.!?]\s*$/.test(line.text)) parts.push([]);
  }
  return parts.filter((part) => part.length > 0).map((part) => sentence(part, ''));
}

/** `context` says what the line is about; nothing is found in it. */
function sentence(lines: readonly Line[], context: string): Sentence {
  const text = [...lines.map((line) => line.text), ...(context === '' ? [] : [context])].join('\n');
  return {
    text,
    placeOf(match) {
      let [rest, at] = [match.index ?? 0, 0];
      while (at < lines.length - 1 && rest > (lines[at]?.text.length ?? 0)) rest -= (lines[at++]?.text.length ?? 0) + 1;
      const { file, number } = lines[at] ?? { file: '', number: null };
      return { file, line: number, match: (match[0].split('\n')[0] ?? '').trim().slice(0, LONGEST_MATCH) };
    },
  };
}
