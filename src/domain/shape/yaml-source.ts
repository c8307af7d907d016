import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type ScalarTag,
  type Document,
} from 'yaml';
import type { Place, Problem } from '../../contract/problem.js';

/** A parsed YAML file that can say where a value stands. */
export interface YamlSource {
  /** The file's name as the user gave it. */
  file: string;
  /** The plain value; undefined when the text is not YAML. */
  value: unknown;
  /** What is wrong with the YAML itself. */
  problems: Problem[];
  /** Of a value, of its nearest parent that exists, or of a key within it. */
  place(path: readonly PropertyKey[], key?: string): Place;
  /** A plain value as it was typed: `null` for a null that was written out, '' for one that was left empty. */
  typed(path: readonly PropertyKey[]): string | undefined;
}

/** `5_000_000`, as people write limits; YAML 1.2 by itself reads it as a text. Only in thousands: `0_0` may be a name. */
const GROUPED_INTEGER: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  identify: () => false,
  default: true,
  test: /^[-+]?[1-9][0-9]{0,2}(_[0-9]{3})+$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
};

/** `file:line:column`, as editors open it. */
export const placeText = ({ file, line, column }: Place): string => `${file}:${line}:${column}`;

/** Reads YAML text. Never throws for bad input: it is all in `problems`. */
export function yamlSource(text: string, file: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    customTags: (tags) => [GROUPED_INTEGER, ...tags],
    prettyErrors: false,
    strict: true,
    logLevel: 'error', // what it would print as warnings is among the problems
  });
  const at = (offset: number): Place => {
    const { line, col: column } = lines.linePos(offset);
    return { file, line, column };
  };
  const problems: Problem[] = [...document.errors, ...document.warnings].map((error) => {
    const place = at(error.pos[0]);
    return {
      place,
      message: `${placeText(place)}: not valid YAML: ${error.message}`,
      expected: 'YAML 1.2: `key: value` lines, indented with spaces, every key once',
      fix: `look at line ${place.line}: quotes, brackets, indentation`,
    };
  });
  problems.push(...(problems.length > 0 ? [] : lossProblems(document, at)));
  const source = {
    file,
    problems,
    place: (path: readonly PropertyKey[], key?: string) => at(offsetOf(document, path, key)),
    typed: (path: readonly PropertyKey[]) => typedText(document.getIn(path, true)),
  };
  if (problems.length > 0) return { ...source, value: undefined };
  try {
    return { ...source, value: document.toJS({ maxAliasCount: 100 }) as unknown };
  } catch (error) {
    const message = `${file}: not valid YAML: ${error instanceof Error ? error.message : String(error)}`;
    const expected = 'anchors (&name) that are defined before their aliases (*name), and at most 100 aliases';
    return { ...source, value: undefined, problems: [{ message, expected, fix: 'write the values out' }] };
  }
}

/** What YAML can say and a plain value cannot: keys that become one, and collections that hold themselves. */
function lossProblems(document: Document, at: (offset: number) => Place): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
        if (name === undefined) problems.push(notAKey(at(offset)));
        else if (seen.has(name)) problems.push(repeatedKey(name, at(offset)));
        else seen.add(name);
      }
    },
    Alias: (_, alias, ancestors) => {
      const meant = alias.resolve(document);
      if (meant !== undefined && ancestors.includes(meant))
        problems.push(holdsItself(alias.source, at(alias.range?.[0] ?? 0)));
    },
  });
  return problems;
}

function notAKey(place: Place): Problem {
  const expected = 'a word, a number or a text before the colon';
  return {
    place,
    message: `${placeText(place)}: a list or mapping stands where a key belongs`,
    expected,
    fix: 'write the key out as text',
  };
}

function repeatedKey(name: string, place: Place): Problem {
  return {
    place,
    message: `${placeText(place)}: the key ${JSON.stringify(name)} is there twice, once as text and once as a number or word`,
    fix: 'rename or remove one of them',
  };
}

function holdsItself(name: string, place: Place): Problem {
  return {
    place,
    message: `${placeText(place)}: *${name} stands inside of what &${name} names`,
    expected: 'aliases of values that have ended',
    fix: 'write the value out',
  };
}

function typedText(node: unknown): string | undefined {
  return isScalar(node) ? node.source : undefined;
}

function offsetOf(document: Document, path: readonly PropertyKey[], key?: string): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const parent = path.slice(0, length);
    const node = length === 0 ? document.contents : document.getIn(parent, true);
    if (!isNode(node)) continue;
    const wanted = length === path.length ? key : undefined;
    const keyOffset = wanted === undefined ? undefined : keyOffsetIn(node, wanted);
    if (keyOffset !== undefined) return keyOffset;
    // A mapping's own range begins at its first value line; pointing at its key reads better.
    const last = parent.at(-1);
    const holder = length === 1 ? document.contents : document.getIn(parent.slice(0, -1), true);
    const own = (isMap(node) || isSeq(node)) && typeof last === 'string' ? keyOffsetIn(holder, last) : undefined;
    return own ?? node.range?.[0] ?? 0;
  }
  return 0;
}

function keyOffsetIn(node: unknown, key: string): number | undefined {
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === key);
  return pair && isScalar(pair.key) ? pair.key.range?.[0] : undefined;
}
