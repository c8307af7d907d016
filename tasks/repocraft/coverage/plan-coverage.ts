import type { MadeCandidate } from '../../../src/contract/trial.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { LEAF_METRIC } from '../metrics.js';
import type { PlannedFeature, PreparedCoverage } from '../results.js';
import { preparedOf } from '../candidate/candidate-index.js';
import { readTaxonomy } from './taxonomy.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';

/**
 * Cosine below which a feature belongs to no leaf. Measured with MiniLM, from the 10th to the 90th percentile: features
 * against leaves of their own subject 0.31 to 0.69 (HTTP) and 0.27 to 0.58 (text), against leaves of the other 0.10 to 0.32.
 */
const FLOOR = 0.3;

/** Assigns each planned feature to the nearest leaf of its project's taxonomy; null without a plan or a taxonomy. */
export async function coverageOfPlan(context: StageContext, { plan }: MadeCandidate): Promise<PreparedCoverage | null> {
  const taxonomy = plan === undefined ? null : await readTaxonomy(context.suiteFolder, context.scope ?? '');
  if (plan === undefined || taxonomy === null) return null;
  const features = await readJsonBlob<PlannedFeature[]>(context.blobs, plan);
  const leaves = await context.embedder.embed(taxonomy.leaves);
  const texts = features.map(({ path, description }) => `${path.slice(1).join(', ')}: ${description}`);
  const vectors = await context.embedder.embed(texts);
  const nearest = vectors.map((vector) => nearestLeaf(vector, leaves));
  const table = features.map(({ path }, index) => {
    const { leaf, score } = nearest[index] ?? { leaf: null, score: 0 };
    return { path, leaf: leaf === null ? null : taxonomy.leaves[leaf], score: Number(score.toFixed(4)) };
  });
  await context.attach(JSON.stringify({ floor: FLOOR, embedder: context.embedder.id, features: table }, null, 1), {
    name: 'plan-coverage.json',
    mediaType: 'application/json',
  });
  return countCoverage(
    features.map(({ isDone }, index) => ({ isDone, leaf: nearest[index]?.leaf ?? null })),
    taxonomy.leaves.length,
  );
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

/** The place of the closest leaf above the floor, with its cosine. */
function nearestLeaf(vector: Float32Array, leaves: readonly Float32Array[]): { leaf: number | null; score: number } {
  const scores = leaves.map((leaf) => leaf.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0));
  const score = Math.max(-1, ...scores);
  return { leaf: score < FLOOR ? null : scores.indexOf(score), score };
}

/**
 * What a trial's row says of the plan behind it: the counts, and for each leaf its category is about
 * (`taxonomy_leaf_<place>`) whether something was planned for it.
 */
export async function coverageMetrics(context: StageContext): Promise<Record<string, number>> {
  const coverage = context.prepared === null ? undefined : preparedOf(context.prepared).coverage;
  if (coverage === undefined) return {};
  const { leaves, planned, features, outside, done, doneOutside } = coverage;
  const taxonomy = await readTaxonomy(context.suiteFolder, context.scope ?? '');
  const own = taxonomy?.leavesOf(context.task?.category ?? '') ?? [];
  const places = own.map((name) => taxonomy?.leaves.indexOf(name) ?? -1);
  return {
    ...{ taxonomy_leaves: leaves, taxonomy_planned: planned.length, taxonomy_mapped: taxonomy?.isMapped ? 1 : 0 },
    ...{ plan_features: features, plan_outside: outside, plan_done: done, plan_done_outside: doneOutside },
    ...Object.fromEntries(places.map((place) => [`${LEAF_METRIC}${place}`, planned.includes(place) ? 1 : 0])),
  };
}
