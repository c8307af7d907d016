import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Pair } from 'yaml';
import { isNestedTooDeep } from '../../syntax/nesting.js';
import type { MapEntry, Place, ScalarNode, YamlNode } from './node.js';

const MOST_NODES = 50_000;
const MOST_LEVELS = 60;

/** `root` is missing where the text is no YAML, is empty or grows beyond the limits; `problem` then says why. */
export interface ReadYaml {
  root?: YamlNode;
  problem?: string;
}

/** YAML 1.2 as GitHub reads it: `on` is a string; duplicate keys are another layer's error. Never throws. */
export function readYaml(file: string, text: string): ReadYaml {
  try {
    if (isNestedTooDeep(text)) return { problem: `nested deeper than ${MOST_LEVELS} levels` };
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'silent' });
    const [error] = document.errors;
    if (error) return { problem: firstLine(error.message) };
    const root = new Reader(file, document, lines).read(document.contents, 0);
    return root ? { root } : { problem: 'the file is empty' };
  } catch (error) {
    return { problem: firstLine(error instanceof Error ? error.message : String(error)) };
  }
}

class Reader {
  private nodes = 0;

  constructor(
    private readonly file: string,
    private readonly document: Document,
    private readonly lines: LineCounter,
  ) {}

  read(node: unknown, level: number): YamlNode | undefined {
    // Aliases multiply what they stand for.
    this.nodes += 1;
    if (this.nodes > MOST_NODES) throw new Error(`more than ${MOST_NODES} nodes`);
    if (level > MOST_LEVELS) throw new Error(`nested deeper than ${MOST_LEVELS} levels`);
    if (isAlias(node)) return this.read(node.resolve(this.document), level + 1);
    if (isScalar(node)) return scalar(node.value, this.place(node.range));
    if (isSeq(node)) {
      const items = node.items.flatMap((item) => this.read(item, level + 1) ?? []);
      return { kind: 'list', items, place: this.place(node.range) };
    }
    if (isMap(node)) {
      const entries = node.items.map((pair) => this.entry(pair, level + 1));
      return { kind: 'map', entries, place: this.place(node.range) };
    }
    return undefined;
  }

  private entry({ key, value }: Pair, level: number): MapEntry {
    const keyPlace = this.place(isScalar(key) ? key.range : undefined);
    const read = this.read(value, level) ?? scalar(null, keyPlace);
    return { key: isScalar(key) ? String(key.value) : '', keyPlace, value: read };
  }

  private place(range: readonly [number, number, number] | null | undefined): Place {
    const start = this.lines.linePos(range?.[0] ?? 0);
    const end = this.lines.linePos(range?.[1] ?? 0);
    return { file: this.file, line: start.line, column: start.col, endLine: end.line, endColumn: end.col };
  }
}

function scalar(value: unknown, place: Place): ScalarNode {
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
  return { kind: 'scalar', value: known, text: known === null ? '' : String(known), place };
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
