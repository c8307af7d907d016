import { expressionLibrary, type Library } from './actions.js';
import { CONTEXTS, type Expression } from './expression.js';
import { soleExpression, type Template } from './template.js';

type Data = ReturnType<InstanceType<Library['Evaluator']>['evaluate']>;
type Dictionary = InstanceType<Library['data']['Dictionary']>;
type Functions = NonNullable<ConstructorParameters<Library['Evaluator']>[2]>;
type FunctionDefinition = Library['wellKnownFunctions'][string];

/** Values of contexts by name, as JSON. */
type Contexts = Partial<Record<string, unknown>>;

/** What only the place of an expression knows. */
export interface Surroundings {
  contexts: Contexts;
  status?: { success: boolean; failure: boolean; cancelled: boolean };
  /** Digest of the files that match the patterns; '' where none does. */
  hashFiles?: (patterns: string[]) => string;
}

/** Characters that the functions of one expression may make. */
const MOST_CHARACTERS = 100_000;
const LONGEST_FORMAT = 8_192;
/** Longer strings of contexts are cut: an expression may compare one two thousand times. */
const LONGEST_STRING = 4_096;

/** Why an expression has no value: it does not parse, or GitHub would stop the job here. */
export class NoValue extends Error {}

/** A plain value. Throws `NoValue`. */
export function evaluate(expression: Expression, surroundings: Surroundings): unknown {
  return plain(evaluated(expression, surroundings));
}

/** Throws `NoValue`. */
export function isTrue(expression: Expression, surroundings: Surroundings): boolean {
  const value = evaluate(expression, surroundings);
  return !(value === null || value === false || value === '' || value === 0 || Number.isNaN(value));
}

/** The value of a sole expression, else a string. Throws `NoValue`. */
export function fill(template: Template, surroundings: Surroundings): unknown {
  if (template.open) throw new NoValue('an expression is not closed');
  const sole = soleExpression(template);
  if (sole) return evaluate(sole, surroundings);
  return template.parts
    .map((part) => (typeof part === 'string' ? part : evaluated(part, surroundings).coerceString()))
    .join('');
}

function evaluated({ ast, error }: Expression, surroundings: Surroundings): Data {
  if (!ast) throw new NoValue(error);
  try {
    return new (expressionLibrary().Evaluator)(
      ast,
      contextData(surroundings.contexts),
      functionsOf(surroundings),
    ).evaluate();
  } catch (caught) {
    throw new NoValue(caught instanceof Error ? caught.message : String(caught));
  }
}

function contextData(contexts: Contexts): Dictionary {
  return new (expressionLibrary().data.Dictionary)(
    ...CONTEXTS.map((key) => ({ key, value: cached(contexts[key] ?? {}) })),
  );
}

const converted = new WeakMap<object, Data>();

function cached(value: unknown): Data {
  if (typeof value !== 'object' || value === null) return dataOf(value);
  const known = converted.get(value);
  if (known) return known;
  const made = dataOf(value);
  converted.set(value, made);
  return made;
}

function dataOf(value: unknown): Data {
  const { data } = expressionLibrary();
  if (typeof value === 'string') return new data.StringData(value.slice(0, LONGEST_STRING));
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'boolean') return new data.BooleanData(value);
  if (Array.isArray(value)) return new data.Array(...value.map(dataOf));
  if (typeof value !== 'object' || value === null) return new data.Null();
  return new data.Dictionary(...Object.entries(value).map(([key, item]) => ({ key, value: cached(item) })));
}

function plain(value: Data): unknown {
  if (isList(value)) return value.values().map(plain);
  if (isDictionary(value)) {
    return Object.fromEntries(value.pairs().map(({ key, value: item }) => [key, plain(item)]));
  }
  return value.kind === expressionLibrary().data.Kind.Null
    ? null
    : (value as { value: string | number | boolean }).value;
}

function functionsOf({ status, hashFiles }: Surroundings): Functions {
  const { data } = expressionLibrary();
  const text = (args: Data[]): string[] => args.map((arg) => arg.coerceString());
  const truth = (value: boolean) => () => new data.BooleanData(value);
  const own: [string, (...args: Data[]) => Data][] = [
    ['success', truth(status?.success ?? true)],
    ['failure', truth(status?.failure ?? false)],
    ['cancelled', truth(status?.cancelled ?? false)],
    ['always', truth(true)],
    ['hashfiles', (...args) => new data.StringData(hashFiles?.(text(args)) ?? '')],
    ...boundedFunctions(),
  ];
  return new Map(own.map(([name, call]) => [name, { name, minArgs: 0, maxArgs: 255, call }]));
}

/** format() of format() doubles its length with every level. */
function boundedFunctions(): [string, (...args: Data[]) => Data][] {
  let left = MOST_CHARACTERS;
  const spend = (characters: number): void => {
    left -= characters;
    if (left < 0) throw new Error('the value is too long');
  };
  const bounded = (known: FunctionDefinition, estimate: (args: Data[]) => number) => {
    return (...args: Data[]): Data => {
      spend(estimate(args));
      return known.call(...args);
    };
  };
  return Object.entries(expressionLibrary().wellKnownFunctions).map(([name, known]) => [
    name,
    bounded(known, costOf(name)),
  ]);
}

function costOf(name: string): (args: Data[]) => number {
  if (name === 'format') return formatLength;
  if (name === 'join') return joinLength;
  return (args) => sum(args.map(sizeOf));
}

function joinLength([list, separator]: Data[]): number {
  const items = list && isList(list) ? list.values() : [];
  return sum(items.map(sizeOf)) + items.length * (separator?.coerceString().length ?? 1);
}

function formatLength([format, ...args]: Data[]): number {
  const text = format?.coerceString() ?? '';
  if (text.length > LONGEST_FORMAT) return Infinity;
  const placeholders = text.split('{').length - 1;
  return text.length + placeholders * Math.max(0, ...args.map(sizeOf));
}

function sizeOf(value: Data): number {
  if (isList(value)) return 2 + sum(value.values().map(sizeOf));
  if (isDictionary(value)) return 2 + sum(value.pairs().map((pair) => pair.key.length + sizeOf(pair.value)));
  return 1 + value.coerceString().length;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function isList(value: Data): value is InstanceType<Library['data']['Array']> {
  return value.kind === expressionLibrary().data.Kind.Array;
}

function isDictionary(value: Data): value is Dictionary {
  return value.kind === expressionLibrary().data.Kind.Dictionary;
}
