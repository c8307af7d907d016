import { fill, NoValue, type Surroundings } from '../expressions/evaluate.js';
import { parseTemplate, templateOf } from '../expressions/template.js';
import { child, type YamlNode } from '../nodes/node.js';
import type { Job } from '../model/model.js';

export type Leg = Record<string, unknown>;

export interface Legs {
  /** One empty leg for a job without a matrix; none where the matrix cannot be expanded. */
  legs: Leg[];
  problem?: string;
}

/** GitHub refuses more. */
const MOST_LEGS = 256;

/** The legs of a job's matrix: product of the lists, less `exclude`, then `include`, as GitHub documents them. */
export function legsOf(job: Job, surroundings: Surroundings): Legs {
  const node = child(job.node, 'strategy', 'matrix');
  if (!node) return { legs: [{}] };
  try {
    return expand(filled(node, surroundings));
  } catch (error) {
    return { legs: [], problem: error instanceof NoValue ? error.message : String(error) };
  }
}

/** Those that the file alone tells; one empty leg where an output of another job makes the matrix. */
export function legsBeforehand(job: Job): Leg[] {
  const { legs } = legsOf(job, { contexts: {} });
  return legs.length > 0 ? legs : [{}];
}

/** A node as JSON, its expressions replaced by their values. Throws `NoValue`. */
export function filled(node: YamlNode, surroundings: Surroundings): unknown {
  if (node.kind === 'list') return node.items.map((item) => filled(item, surroundings));
  if (node.kind === 'map') {
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, filled(value, surroundings)]));
  }
  return typeof node.value === 'string' && node.text.includes('${{')
    ? fill(templateOf(node), surroundings)
    : node.value;
}

/** The same of a text. */
export function filledText(text: string, surroundings: Surroundings): string {
  const value = text.includes('${{') ? fill(parseTemplate(text), surroundings) : text;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null ? '' : 'Object';
}

function expand(matrix: unknown): Legs {
  if (!isRecord(matrix)) return { legs: [], problem: 'the matrix is no mapping' };
  const { include = [], exclude = [], ...vectors } = matrix;
  const lists = Object.entries(vectors);
  const wrong = lists.find(([, values]) => !Array.isArray(values) || values.length === 0);
  if (wrong) return { legs: [], problem: `matrix.${wrong[0]} is no list of values` };
  const size = lists.reduce((total, [, values]) => total * (values as unknown[]).length, 1);
  if (size > MOST_LEGS) return { legs: [], problem: `${size} legs, more than ${MOST_LEGS}` };
  const product = lists.length === 0 ? [] : productOf(lists as [string, unknown[]][]);
  const kept = product.filter((leg) => !records(exclude).some((rule) => covers(rule, leg)));
  const legs = included(kept, records(include));
  if (legs.length === 0) return { legs, problem: 'the matrix is empty' };
  return legs.length > MOST_LEGS ? { legs: [], problem: `${legs.length} legs, more than ${MOST_LEGS}` } : { legs };
}

function productOf(lists: [string, unknown[]][]): Leg[] {
  return lists.reduce<Leg[]>(
    (legs, [key, values]) => legs.flatMap((leg) => values.map((value) => ({ ...leg, [key]: value }))),
    [{}],
  );
}

/** An entry joins every leg of the product where it overwrites no value of the product; else it is a leg of its own. */
function included(product: Leg[], entries: Leg[]): Leg[] {
  const joined = product.map((leg) => ({ ...leg }));
  const added: Leg[] = [];
  for (const entry of entries.slice(0, MOST_LEGS * 2)) {
    const fitting = joined.filter((_, index) => overwritesNothing(entry, product[index] ?? {}));
    fitting.forEach((leg) => Object.assign(leg, entry));
    if (fitting.length === 0) added.push({ ...entry });
  }
  return [...joined, ...added];
}

function overwritesNothing(entry: Leg, original: Leg): boolean {
  return Object.entries(original).every(([key, value]) => !(key in entry) || sameValue(entry[key], value));
}

/** A rule names what it names: the rest of a leg may be anything. */
function covers(rule: Leg, leg: Leg): boolean {
  return Object.keys(rule).length > 0 && Object.entries(rule).every(([key, value]) => sameValue(leg[key], value));
}

/** `18` and `'18'` are the same. */
export function sameValue(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isRecord(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${key}:${canonical(value[key])}`).join(',')}}`;
  }
  return JSON.stringify(String(value));
}

function records(value: unknown): Leg[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Leg {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
