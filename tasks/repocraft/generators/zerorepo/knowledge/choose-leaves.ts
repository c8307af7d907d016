import { sha256Hex } from '../../../../../src/domain/text/content-hash.js';
import type { Embedder } from '../../../../../src/ports/embedder.js';
import { nearness, pathTo, vectorOfPath, type TreeIndex } from './tree-index.js';

/** What is shown of a tree in one round. */
interface Round {
  /** What the library is for. */
  purpose: string;
  /** Paths that are planned already. */
  planned: readonly (readonly string[])[];
  /** 1, 2, …: each sees other leaves. */
  round: number;
  /** Says which draws are made; the same seed, the same draws. */
  seed: string;
}

/** Leaves looked at more closely for each that is shown. */
const LOOKED_AT = 4;
/** Nearer than this (cosine) to what is planned or drawn already, a draw is rejected; and how often one is drawn again. */
const TOO_NEAR = 0.6;
const DRAWS = 20;
/** How much less a large branch counts than its leaves: the root of their number. */
const FLATTEN = 0.5;

/**
 * Exploits a tree: the leaves nearest to the purpose, the next ones in every round. Words choose a few hundred of them, the
 * embedding of the whole path the best of those.
 */
export async function nearestLeaves(
  index: TreeIndex,
  embedder: Embedder,
  { purpose, planned, round }: Round,
  most: number,
): Promise<string[][]> {
  if (most === 0) return [];
  const [wanted] = await embedder.embed([purpose]);
  if (wanted === undefined) return [];
  const near = nearness(index, wanted);
  const isPlanned = plannedNames(planned);
  const ranked = best(near, round * most * LOOKED_AT + planned.length).map((place) =>
    pathTo(index, index.leafNodes[place] ?? 0),
  );
  const open = ranked.filter((path) => !isPlanned.has(lastName(path)));
  const looked = open.slice((round - 1) * most * LOOKED_AT, round * most * LOOKED_AT);
  const vectors = await embedder.embed(looked.map((path) => path.join(', ')));
  const scored = looked.map((path, place) => ({ path, score: cosine(vectors[place], wanted) }));
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ path }) => path);
}

/**
 * Explores a tree (Algorithm 1 of the paper): walks down from the top by chance, and rejects what comes out too near to
 * what is planned or drawn already; after so many draws the least near is taken.
 */
export function drawnLeaves(index: TreeIndex, { planned, seed, round }: Round, most: number): string[][] {
  const children = childrenOf(index);
  const places = new Map(index.words.map((word, place) => [word, place]));
  const known = planned.map((path) => vectorOfPath(index, path, places));
  const isPlanned = plannedNames(planned);
  const chance = dice(`${seed} ${round}`);
  const found: string[][] = [];
  for (let draw = 0; draw < most; draw += 1) {
    let least: { path: string[]; vector: Float32Array; near: number } | undefined;
    for (let retry = 0; retry < DRAWS && (least === undefined || least.near > TOO_NEAR); retry += 1) {
      const path = pathTo(index, walkDown(children, chance));
      if (isPlanned.has(lastName(path))) continue;
      const vector = vectorOfPath(index, path, places);
      const near = known.reduce((most, other) => Math.max(most, cosine(vector, other)), -1);
      if (least === undefined || near < least.near) least = { path, vector, near };
    }
    if (least === undefined) continue;
    found.push(least.path);
    known.push(least.vector);
    isPlanned.add(lastName(least.path));
  }
  return found;
}

const lastName = (path: readonly string[]): string => (path.at(-1) ?? '').toLowerCase();

const plannedNames = (planned: readonly (readonly string[])[]): Set<string> => new Set(planned.map(lastName));

/** Places of the largest values, largest first. */
function best(values: Float32Array, most: number): number[] {
  const order = Array.from(values.keys());
  const floor = most >= values.length ? -Infinity : (values.toSorted().at(-most) ?? -Infinity);
  return order
    .filter((place) => (values[place] ?? 0) >= floor)
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b)
    .slice(0, most);
}

/** Nodes below each node, and how many leaves; node 0 of the arrays is the top. */
interface Children {
  starts: Int32Array;
  nodes: Int32Array;
  leaves: Int32Array;
}

function childrenOf({ parentOf, leafNodes }: TreeIndex): Children {
  const starts = new Int32Array(parentOf.length + 2);
  for (const parent of parentOf) starts[parent + 2] = (starts[parent + 2] ?? 0) + 1;
  for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
  const next = starts.slice();
  const nodes = new Int32Array(parentOf.length);
  parentOf.forEach((parent, node) => {
    const at = next[parent + 1] ?? 0;
    nodes[at] = node;
    next[parent + 1] = at + 1;
  });
  const leaves = new Int32Array(parentOf.length);
  for (const leaf of leafNodes) leaves[leaf] = 1;
  // A node comes after its parent, so from the end every count is whole when it is added.
  for (let node = parentOf.length - 1; node >= 0; node -= 1) {
    const parent = parentOf[node] ?? -1;
    if (parent >= 0) leaves[parent] = (leaves[parent] ?? 0) + (leaves[node] ?? 0);
  }
  return { starts, nodes, leaves };
}

function walkDown({ starts, nodes, leaves }: Children, chance: () => number): number {
  for (let at = -1; ;) {
    const [from, to] = [starts[at + 1] ?? 0, starts[at + 2] ?? 0];
    if (from === to) return at;
    let all = 0;
    for (let place = from; place < to; place += 1) all += (leaves[nodes[place] ?? 0] ?? 0) ** FLATTEN;
    let left = chance() * all;
    let chosen = nodes[to - 1] ?? 0;
    for (let place = from; place < to; place += 1) {
      left -= (leaves[nodes[place] ?? 0] ?? 0) ** FLATTEN;
      if (left >= 0) continue;
      chosen = nodes[place] ?? 0;
      break;
    }
    at = chosen;
  }
}

/** Numbers from 0 to 1 that a seed decides. */
function dice(seed: string): () => number {
  let throws = 0;
  return () => parseInt(sha256Hex(`${seed} ${(throws += 1)}`).slice(0, 12), 16) / 2 ** 48;
}

function cosine(one: Float32Array | undefined, other: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < other.length; k += 1) sum += (one?.[k] ?? 0) * (other[k] ?? 0);
  return sum;
}
