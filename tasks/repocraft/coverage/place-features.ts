import { agreementOf } from '../../../src/domain/statistics/agreement.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { PreparedCoverage } from '../results.js';
import { clusteredLeaves, nearestLeaves, type Assigned } from './assign.js';
import { judgePlaces, type JudgedPlaces } from './judge-places.js';

/**
 * Cosine below which a feature belongs to no leaf: of the floors from 0.20 to 0.44 the one that best tells inside from outside on
 * the even half of 217 labelled features (91.4 %; 83.6 % on the other half; `bench/repocraft/coverage.ts`).
 */
export const FLOOR = 0.26;

/** What is placed: a text and a unit vector of each feature. */
interface Features {
  texts: readonly string[];
  vectors: readonly Float32Array[];
  /** Name of the evidence that lists every feature with where each method puts it. */
  evidence: string;
}

/** Each feature's leaf by every method: the nearest leaf, clusters, and the clusters after a judge where the campaign names one. */
export async function placeFeatures(
  context: StageContext,
  names: readonly string[],
  { texts, vectors, evidence }: Features,
): Promise<{ nearest: Assigned; others: Pick<PreparedCoverage, 'clusters' | 'judged'> }> {
  const leaves = await context.embedder.embed([...names]);
  const nearest = nearestLeaves(vectors, leaves, FLOOR);
  const clustered = clusteredLeaves(vectors, leaves, FLOOR);
  const judged = await judgePlaces(context, { texts, vectors, names, leaves, assigned: clustered, evidence });
  const named = (leaf: number | null | undefined): string | null => (leaf == null ? null : (names[leaf] ?? null));
  const answered = new Set(judged?.answered);
  const table = texts.map((feature, place) => ({
    ...{ feature, nearest: named(nearest[place]), cluster: named(clustered[place]) },
    ...(judged === null ? {} : { judged: named(judged.assigned[place]), isAnswered: answered.has(place) }),
  }));
  const told = { floor: FLOOR, embedder: context.embedder.id, judge: judged?.controls ?? null, features: table };
  await context.attach(JSON.stringify(told, null, 1), { name: evidence, mediaType: 'application/json' });
  return {
    nearest,
    others: {
      clusters: { ...reached(clustered), ...sharesOf(nearest, clustered) },
      ...(judged === null ? {} : { judged: judgedCounts(judged, { nearest, clustered }) }),
    },
  };
}

/** The counts, from the leaf of each feature. */
export function countCoverage(
  features: readonly { isDone: boolean; leaf: number | null }[],
  leaves: number,
): PreparedCoverage {
  const done = features.filter(({ isDone }) => isDone);
  const outside = (all: typeof features): number => all.filter(({ leaf }) => leaf === null).length;
  const planned = [...new Set(features.flatMap(({ leaf }) => leaf ?? []))].sort((a, b) => a - b);
  return {
    ...{ leaves, planned, features: features.length, outside: outside(features) },
    ...{ done: done.length, doneOutside: outside(done) },
  };
}

function reached(assigned: Assigned): { planned: number; outside: number } {
  return {
    planned: new Set(assigned.filter((leaf) => leaf !== null)).size,
    outside: assigned.filter((leaf) => leaf === null).length,
  };
}

/** Outside is a place like a leaf. */
function sharesOf(one: Assigned, other: Assigned): { agreement: number | null; kappa: number | null } {
  const { total, agreed, kappa } = agreementOf(one.map((leaf, place) => [leaf, other[place] ?? null]));
  return { agreement: total === 0 ? null : agreed / total, kappa };
}

/** Agreement is over what the judge gave a place: what it left where the clusters had it would agree with them. */
function judgedCounts(
  { assigned, answered, trusted }: JudgedPlaces,
  { nearest, clustered }: Record<'nearest' | 'clustered', Assigned>,
): PreparedCoverage['judged'] {
  const moved = assigned.filter((leaf, place) => leaf !== clustered[place]).length;
  const counts = { ...reached(assigned), moved, trusted };
  if (!trusted) return counts;
  const as = (other: Assigned): { agreed: number; kappa: number | null } => {
    const { agreed, kappa } = agreementOf(
      answered.map((place) => [assigned[place] ?? null, other[place] ?? null] as const),
    );
    return { agreed, kappa };
  };
  return { ...counts, answered: answered.length, asNearest: as(nearest), asClusters: as(clustered) };
}
