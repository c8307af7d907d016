import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  type Alias,
  type Document,
  type Node,
} from 'yaml';
import { isNestedTooDeep } from './nesting.js';
import { CAPS, type SyntaxProblem } from './syntax-report.js';

/** A file as YAML 1.2, with the places of its values. */
export interface YamlFile {
  path: string;
  text: string;
  document: Document.Parsed;
  /** Without aliases' limits: they were counted. */
  value: unknown;
  /** Place of the value at a path of keys; of the deepest one that is there. */
  place(keys: readonly (string | number)[]): { line: number; column: number };
}

/**
 * Reads a file, or says why it cannot be read as YAML: control characters, mistakes, duplicate keys, keys that are no
 * strings, more aliases, depth or size than a workflow has. What it gives on is safe to hand to other parsers.
 */
export function readYaml(path: string, bytes: Uint8Array): YamlFile | { problems: SyntaxProblem[] } {
  const whole = (rule: string, message: string): { problems: SyntaxProblem[] } => ({
    problems: [{ file: path, line: 0, column: 0, rule, message }],
  });
  if (bytes.length > CAPS.bytes) return whole('size', `the file is larger than ${CAPS.bytes / 1024} KiB`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return whole('encoding', 'the file is not UTF-8');
  }
  const control = /[\p{Cc}]/u.exec(text.replace(/[\t\n\r\u0085]/g, ' '));
  if (control !== null) return whole('encoding', `the file holds the control character U+${hex(control[0])}`);
  if (isNestedTooDeep(text)) return whole('depth', TOO_DEEP);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const mistakes = [...document.errors, ...document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')];
  const problems = mistakes.map(({ code, message, pos }): SyntaxProblem => {
    const rule = code === 'DUPLICATE_KEY' ? 'duplicate-key' : 'yaml';
    return { file: path, ...at(pos[0]), rule, message: message.split('\n')[0] ?? '' };
  });
  if (problems.length === 0) problems.push(...structureProblems(path, document, at));
  if (problems.length > 0) return { problems };
  return {
    ...{ path, text, document },
    value: document.toJS({ maxAliasCount: -1 }) as unknown,
    place: (keys) => placeOf(document, keys, at),
  };
}

const TOO_DEEP = `the file is nested more than ${CAPS.depth} levels deep`;

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

type At = (offset: number) => { line: number; column: number };

function structureProblems(path: string, document: Document.Parsed, at: At): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  const report = (node: Node | null, rule: string, message: string): void => {
    problems.push({ file: path, ...at(node?.range?.[0] ?? 0), rule, message });
  };
  const size = new Sizes(document);
  const root = document.contents as Node | null;
  const { nodes, depth } = size.of(root);
  if (size.aliases > CAPS.aliases) report(root, 'aliases', `the file has more than ${CAPS.aliases} aliases`);
  for (const alias of size.unknown) report(alias, 'yaml', `nothing before it is called ${alias.source}`);
  if (size.isCyclic) report(root, 'aliases', 'an alias stands inside what it names');
  if (depth > CAPS.depth) report(root, 'depth', TOO_DEEP);
  if (nodes > CAPS.nodes) report(root, 'size', `the file has more than ${CAPS.nodes} values once aliases are replaced`);
  for (const key of size.oddKeys)
    report(key, 'key', `a key is not a string: ${isScalar(key) ? String(key.value) : 'a list or mapping'}; quote it`);
  return problems;
}

/** Counts of a document; what an alias stands for is counted each time, and looked at once. */
class Sizes {
  aliases = 0;
  isCyclic = false;
  /** They name nothing. */
  readonly unknown: Alias[] = [];
  readonly oddKeys: Node[] = [];
  private readonly known = new Map<Node, { nodes: number; depth: number }>();
  private readonly open = new Set<Node>();

  constructor(private readonly document: Document.Parsed) {}

  of(node: Node | null | undefined): { nodes: number; depth: number } {
    if (node == null) return { nodes: 1, depth: 1 };
    if (isAlias(node)) return this.ofAlias(node, (this.aliases += 1));
    if (!isCollection(node)) return { nodes: 1, depth: 1 };
    const known = this.known.get(node);
    if (known !== undefined) return known;
    this.open.add(node);
    const sum = { nodes: 1, depth: 1 };
    for (const item of node.items) {
      if (isPair(item) && isMap(node) && !isString(item.key)) this.oddKeys.push(item.key as Node);
      const size = this.of((isPair(item) ? item.value : item) as Node | null);
      sum.nodes = Math.min(sum.nodes + size.nodes, Number.MAX_SAFE_INTEGER / 2);
      sum.depth = Math.max(sum.depth, size.depth + 1);
    }
    this.open.delete(node);
    this.known.set(node, sum);
    return sum;
  }

  private ofAlias(alias: Alias, count: number): { nodes: number; depth: number } {
    const target = alias.resolve(this.document);
    if (target === undefined) this.unknown.push(alias);
    if (target !== undefined && this.open.has(target)) this.isCyclic = true;
    // Beyond the limit nothing is followed: it is refused anyway.
    if (target === undefined || this.isCyclic || count > CAPS.aliases) return { nodes: 1, depth: 1 };
    return this.of(target);
  }
}

const isString = (key: unknown): boolean => isScalar(key) && typeof key.value === 'string';

function placeOf(
  document: Document.Parsed,
  keys: readonly (string | number)[],
  at: At,
): { line: number; column: number } {
  for (let length = keys.length; length >= 0; length -= 1) {
    const node = (length === 0 ? document.contents : document.getIn(keys.slice(0, length), true)) as Node | null;
    if (node?.range) return at(node.range[0]);
  }
  return { line: 1, column: 1 };
}
