import { createHash } from 'node:crypto';

/** One name in a workspace. */
export interface Entry {
  /** `twin`: another name of a file (a hard link). */
  kind: 'file' | 'folder' | 'link' | 'twin';
  /** Permission bits, those above the nine included. */
  mode: number;
  /** Seconds since 1970, with nanoseconds: `1700000000.123456789`. */
  mtime: string;
  /** Bytes of a file and its twins; 0 of all else. */
  size: number;
  /** sha-256 of a file, target of a link, path of the file that a twin is; '' of a folder. */
  value: string;
}

/** Entries by their paths below `/work`, in order of the paths. */
export type Tree = ReadonlyMap<string, Entry>;

/** What makes one tree of another. */
export interface TreeChange {
  entries: [path: string, entry: Entry][];
  removed: string[];
}

/** Null where nothing is to be changed, times included. */
export function changeBetween(before: Tree, after: Tree): TreeChange | null {
  const entries = [...after].filter(([path, entry]) => !isSame(before.get(path), entry));
  const removed = [...before.keys()].filter((path) => !after.has(path));
  return entries.length + removed.length === 0 ? null : { entries, removed };
}

/** Changes, one after another, from nothing. */
export function treeOf(changes: readonly TreeChange[]): Map<string, Entry> {
  const tree = new Map<string, Entry>();
  for (const { entries, removed } of changes) {
    for (const path of removed) tree.delete(path);
    for (const [path, entry] of entries) tree.set(path, entry);
  }
  return inOrder(tree);
}

/** The same, by paths: a folder comes before what is in it. */
export function inOrder<Value>(tree: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...tree].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** `WorkspaceRef.digest`: of everything but times. */
export function treeDigest(tree: Tree): string {
  const hash = createHash('sha256');
  for (const [path, { kind, mode, size, value }] of tree)
    hash.update(`${JSON.stringify([path, kind, mode, size, value])}\n`);
  return hash.digest('hex');
}

/** Bytes of its files, each once. */
export function treeBytes(tree: Tree): number {
  let bytes = 0;
  for (const { kind, size } of tree.values()) if (kind === 'file') bytes += size;
  return bytes;
}

function isSame(one: Entry | undefined, other: Entry): boolean {
  if (one === undefined) return false;
  return (['kind', 'mode', 'mtime', 'size', 'value'] as const).every((field) => one[field] === other[field]);
}
