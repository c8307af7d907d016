import { z, type ZodType } from 'zod';

/** The parts of a JSON Schema that are read here. */
export interface SchemaNode {
  type?: string;
  description?: string;
  examples?: unknown[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: SchemaNode | boolean;
  propertyNames?: SchemaNode;
  items?: SchemaNode;
  prefixItems?: SchemaNode[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
  [key: string]: unknown;
}

/** JSON Schema (2020-12) of what a person may write for a zod schema; transforms that have no JSON form become "anything". */
export function jsonSchemaOf(schema: ZodType): SchemaNode {
  const node = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  delete node.$schema; // named once, at the top of the whole
  return node;
}

/** The schema nodes that may describe the value at a path (several where a union is on the way). */
function nodesAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode[] {
  let nodes = alternatives(root);
  for (const key of path) nodes = nodes.flatMap((node) => child(node, key)).flatMap(alternatives);
  return nodes;
}

function child(node: SchemaNode, key: PropertyKey): SchemaNode[] {
  if (typeof key === 'number') {
    const item = node.prefixItems?.[key] ?? node.items; // `false` behind the places of a tuple
    return item ? [item] : [];
  }
  const property = node.properties?.[String(key)];
  if (property) return [property];
  return typeof node.additionalProperties === 'object' ? [node.additionalProperties] : [];
}

function alternatives(node: SchemaNode): SchemaNode[] {
  const parts = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  return parts.length === 0 ? [node] : [node, ...parts.flatMap(alternatives)];
}

/** Keys an object at this path may have; empty when it is open or no object. */
export function knownKeys(root: SchemaNode, path: readonly PropertyKey[]): string[] {
  return [...new Set(nodesAt(root, path).flatMap((node) => Object.keys(node.properties ?? {})))];
}

/** "What is allowed" for the value at a path, in words: the schema's own description, else its values, type and bounds. */
export function allowedAt(root: SchemaNode, path: readonly PropertyKey[]): string | undefined {
  const nodes = nodesAt(root, path);
  const described = nodes.find((node) => node.description !== undefined)?.description;
  // A union may take other things than these words, and says so itself.
  const isOpen = nodes.some((node) => node.type !== undefined && node.enum === undefined && node.const === undefined);
  if (described !== undefined && isOpen && nodes.length > 1) return described;
  const values = nodes.flatMap((node) => node.enum ?? (node.const === undefined ? [] : [node.const]));
  if (values.length > 0) return `one of ${values.map(String).join(', ')}`;
  return described ?? nodes.map(typeInWords).find((words) => words !== undefined);
}

/** The same of the keys at a path. */
export function keysAllowedAt(root: SchemaNode, path: readonly PropertyKey[]): string | undefined {
  const names = nodesAt(root, path).find((node) => node.propertyNames !== undefined)?.propertyNames;
  return names && allowedAt(names, []);
}

/** An example value for the path, where the schema has one. */
export function exampleAt(root: SchemaNode, path: readonly PropertyKey[]): string | undefined {
  const example = nodesAt(root, path).find((node) => node.examples !== undefined)?.examples?.[0];
  if (example === undefined) return undefined;
  return typeof example === 'string' ? example : JSON.stringify(example);
}

const TYPE_WORDS: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping (key: value)',
};

const UNITS: Record<string, string> = { string: ' characters', array: ' entries' };

function typeInWords(node: SchemaNode): string | undefined {
  const words = node.type === undefined ? undefined : TYPE_WORDS[node.type];
  if (words === undefined) return undefined;
  const least = node.minLength ?? node.minItems ?? 0;
  if (least > 0)
    return least === 1 ? `${words} that is not empty` : `${words} of at least ${least}${UNITS[node.type ?? ''] ?? ''}`;
  const low = node.minimum ?? node.exclusiveMinimum;
  const isBounded = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBounded(low) && isBounded(node.maximum)) return `${words} from ${low} to ${node.maximum}`;
  if (isBounded(low)) return `${words}, ${node.minimum === undefined ? `above ${low}` : `${low} or more`}`;
  return isBounded(node.maximum) ? `${words}, at most ${node.maximum}` : words;
}
