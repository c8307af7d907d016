/** Where something stands: lines and columns from 1, as editors count them. */
export interface Place {
  file: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export interface ScalarNode {
  kind: 'scalar';
  value: string | number | boolean | null;
  /** The value as GitHub makes a string of it; '' of null. */
  text: string;
  place: Place;
}

interface ListNode {
  kind: 'list';
  items: YamlNode[];
  place: Place;
}

export interface MapEntry {
  key: string;
  keyPlace: Place;
  value: YamlNode;
}

export interface MapNode {
  kind: 'map';
  entries: MapEntry[];
  place: Place;
}

/** YAML with its aliases followed; a key's first use counts. */
export type YamlNode = ScalarNode | ListNode | MapNode;

/** Undefined where `node` is no mapping or lacks the key. */
export function child(node: YamlNode | undefined, ...keys: string[]): YamlNode | undefined {
  return keys.reduce((parent, key) => entryOf(parent, key)?.value, node);
}

export function entryOf(node: YamlNode | undefined, key: string): MapEntry | undefined {
  return node?.kind === 'map' ? node.entries.find((entry) => entry.key === key) : undefined;
}

export function entriesOf(node: YamlNode | undefined): MapEntry[] {
  return node?.kind === 'map' ? node.entries : [];
}

/** The text of a scalar that is not null. */
export function textOf(node: YamlNode | undefined): string | undefined {
  return node?.kind === 'scalar' && node.value !== null ? node.text : undefined;
}

/** Scalars of a list; one scalar counts as a list of one, as GitHub reads most keys. */
export function textsOf(node: YamlNode | undefined): string[] {
  return scalarsOf(node).map(({ text }) => text);
}

export function scalarsOf(node: YamlNode | undefined): ScalarNode[] {
  const items = node?.kind === 'list' ? node.items : node ? [node] : [];
  return items.filter((item) => item.kind === 'scalar' && item.value !== null) as ScalarNode[];
}

/** Every scalar below, in the order of the file. */
export function allScalars(node: YamlNode | undefined): ScalarNode[] {
  if (!node) return [];
  if (node.kind === 'scalar') return [node];
  return node.kind === 'list' ? node.items.flatMap(allScalars) : node.entries.flatMap(({ value }) => allScalars(value));
}
