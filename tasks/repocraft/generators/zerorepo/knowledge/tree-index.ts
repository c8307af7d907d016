import type { Embedder } from '../../../../../src/ports/embedder.js';
import type { TreeTable } from './scan-tree.js';

/**
 * A feature tree that can be searched by meaning. Only words are embedded, each once; a leaf is the weighted mean of its
 * own words, and half as much of those above it. So a tree of a million leaves costs the embedding of its vocabulary.
 */
export interface TreeIndex extends TreeTable {
  /** Words that have a vector. */
  words: string[];
  /** Rare words say more. */
  weights: Float32Array;
  /** One row a word. */
  vectors: Float32Array;
  dimensions: number;
  /** Words of name n: `nameWords[nameStarts[n]]` up to `nameWords[nameStarts[n + 1]]`. */
  nameStarts: Int32Array;
  nameWords: Int32Array;
  /** Nodes that are leaves. */
  leafNodes: Int32Array;
  /** Length of each leaf's vector before it is scaled to one. */
  lengths: Float32Array;
}

/** Words of a tree that get a vector, the most frequent ones. */
const MOST_WORDS = 30_000;
/** Words embedded between two heartbeats. */
const AT_ONCE = 256;
/** What each level above a leaf counts. */
const DECAY = 0.5;

/** Indexes a tree; `tick` is called between batches of work of a second or two. */
export async function indexTree(table: TreeTable, embedder: Embedder, tick: () => void): Promise<TreeIndex> {
  const spoken = wordsOf(table);
  const vectors = new Float32Array(spoken.words.length * embedder.dimensions);
  for (let from = 0; from < spoken.words.length; from += AT_ONCE) {
    const rows = await embedder.embed(spoken.words.slice(from, from + AT_ONCE));
    rows.forEach((row, index) => vectors.set(row, (from + index) * embedder.dimensions));
    tick();
  }
  const index = { ...table, ...spoken, vectors, dimensions: embedder.dimensions, leafNodes: leavesOf(table) };
  return { ...index, lengths: lengthsOf({ ...index, lengths: new Float32Array() }, tick) };
}

/** The words of a text, in lower case. */
const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function wordsOf({ names }: TreeTable): Pick<TreeIndex, 'words' | 'weights' | 'nameStarts' | 'nameWords'> {
  const counts = new Map<string, number>();
  for (const name of names) for (const word of wordsIn(name)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const kept = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, MOST_WORDS);
  const places = new Map(kept.map(([word], place) => [word, place]));
  const nameStarts = new Int32Array(names.length + 1);
  const all: number[] = [];
  names.forEach((name, place) => {
    for (const word of wordsIn(name)) {
      const found = places.get(word);
      if (found !== undefined) all.push(found);
    }
    nameStarts[place + 1] = all.length;
  });
  return {
    words: kept.map(([word]) => word),
    weights: Float32Array.from(kept, ([, count]) => Math.log(1 + names.length / count)),
    nameStarts,
    nameWords: Int32Array.from(all),
  };
}

function leavesOf({ parentOf, leaves }: TreeTable): Int32Array {
  const isParent = new Uint8Array(parentOf.length);
  for (const parent of parentOf) if (parent >= 0) isParent[parent] = 1;
  const found = new Int32Array(leaves);
  let next = 0;
  isParent.forEach((is, node) => {
    if (is === 0) found[next++] = node;
  });
  return found;
}

function lengthsOf(index: TreeIndex, tick: () => void): Float32Array {
  const lengths = new Float32Array(index.leafNodes.length);
  const sum = new Float32Array(index.dimensions);
  index.leafNodes.forEach((node, place) => {
    sum.fill(0);
    addLeaf(index, node, sum);
    lengths[place] = lengthOf(sum);
    if (place % 100_000 === 0) tick();
  });
  return lengths;
}

function addLeaf(index: TreeIndex, node: number, sum: Float32Array): void {
  let share = 1;
  for (let at = node, level = 0; at >= 0 && level < 3; at = index.parentOf[at] ?? -1, level += 1) {
    const name = index.nameOf[at] ?? 0;
    for (let word = index.nameStarts[name] ?? 0; word < (index.nameStarts[name + 1] ?? 0); word += 1)
      addWord(index, index.nameWords[word] ?? 0, share, sum);
    share *= DECAY;
  }
}

function addWord({ vectors, weights, dimensions }: TreeIndex, word: number, share: number, sum: Float32Array): void {
  const weight = share * (weights[word] ?? 0);
  const from = word * dimensions;
  for (let k = 0; k < dimensions; k += 1) sum[k] = (sum[k] ?? 0) + weight * (vectors[from + k] ?? 0);
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}

/** Names from wide to narrow down to a node. */
export function pathTo({ names, nameOf, parentOf }: TreeTable, node: number): string[] {
  const path: string[] = [];
  for (let at = node; at >= 0; at = parentOf[at] ?? -1) path.unshift(names[nameOf[at] ?? 0] ?? '');
  return path;
}

/** The vector of a path, of this tree or another, by the words that both have; of length one, or zero where there are none. */
export function vectorOfPath(
  index: TreeIndex,
  path: readonly string[],
  places: ReadonlyMap<string, number>,
): Float32Array {
  const sum = new Float32Array(index.dimensions);
  [...path]
    .reverse()
    .slice(0, 3)
    .forEach((name, level) => {
      for (const word of wordsIn(name)) {
        const place = places.get(word);
        if (place !== undefined) addWord(index, place, DECAY ** level, sum);
      }
    });
  const length = lengthOf(sum);
  return length === 0 ? sum : sum.map((value) => value / length);
}

/** Nearness of every leaf to a vector: cosines, in the order of `leafNodes`. */
export function nearness(index: TreeIndex, vector: Float32Array): Float32Array {
  const byWord = index.words.map((_, word) => (index.weights[word] ?? 0) * dot(index, word, vector));
  const byName = new Float32Array(index.names.length);
  byName.forEach((_, name) => {
    let sum = 0;
    for (let at = index.nameStarts[name] ?? 0; at < (index.nameStarts[name + 1] ?? 0); at += 1)
      sum += byWord[index.nameWords[at] ?? 0] ?? 0;
    byName[name] = sum;
  });
  const near = new Float32Array(index.leafNodes.length);
  near.forEach((_, place) => {
    let [sum, share] = [0, 1];
    for (let at = index.leafNodes[place] ?? -1, level = 0; at >= 0 && level < 3; level += 1) {
      sum += share * (byName[index.nameOf[at] ?? 0] ?? 0);
      share *= DECAY;
      at = index.parentOf[at] ?? -1;
    }
    near[place] = sum / (index.lengths[place] || 1);
  });
  return near;
}

function dot({ vectors, dimensions }: TreeIndex, row: number, vector: Float32Array): number {
  let sum = 0;
  const from = row * dimensions;
  for (let k = 0; k < dimensions; k += 1) sum += (vectors[from + k] ?? 0) * (vector[k] ?? 0);
  return sum;
}
