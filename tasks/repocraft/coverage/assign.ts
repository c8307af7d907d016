/** The place of the leaf a feature is about, for each feature; null: outside the taxonomy. */
export type Assigned = (number | null)[];

/** Rounds after which moving features between clusters ends; on our plans it has settled after five. */
const ROUNDS = 20;

/** The closest leaf by the dot product of unit vectors, where it is at least `floor`. */
export function nearestLeaves(
  features: readonly Float32Array[],
  leaves: readonly Float32Array[],
  floor: number,
): Assigned {
  return features.map((vector) => {
    const { leaf, score } = closest(vector, leaves);
    return score < floor ? null : leaf;
  });
}

/**
 * The paper's method without its judge (arXiv 2509.16198, section 4.2): clusters around fixed centroids, the leaves, and one more for what
 * lies outside. That one begins as the mean of the features below `floor` and moves with its members until nothing changes; a
 * feature goes to the closest centroid.
 */
export function clusteredLeaves(
  features: readonly Float32Array[],
  leaves: readonly Float32Array[],
  floor: number,
): Assigned {
  const near = features.map((vector) => closest(vector, leaves));
  let assigned: Assigned = near.map(({ leaf, score }) => (score < floor ? null : leaf));
  for (let round = 0; round < ROUNDS; round += 1) {
    const outside = centroid(features.filter((_, place) => assigned[place] === null));
    if (outside === null) return assigned;
    const next = near.map(({ leaf, score }, place) => (dot(features[place] ?? outside, outside) > score ? null : leaf));
    if (next.every((leaf, place) => leaf === assigned[place])) return next;
    assigned = next;
  }
  return assigned;
}

function closest(vector: Float32Array, leaves: readonly Float32Array[]): { leaf: number; score: number } {
  let best = { leaf: 0, score: -1 };
  for (const [leaf, other] of leaves.entries()) {
    const score = dot(vector, other);
    if (score > best.score) best = { leaf, score };
  }
  return best;
}

/** The mean direction; null of nothing. */
function centroid(vectors: readonly Float32Array[]): Float32Array | null {
  const [first] = vectors;
  if (first === undefined) return null;
  const sum = new Float32Array(first.length);
  for (const vector of vectors) for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value;
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
