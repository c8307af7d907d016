import type { MadeCandidate } from '../../../src/contract/trial.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { preparedOf } from '../candidate/candidate-index.js';
import { purposeOf } from '../generators/purposes.js';
import type { PlannedFeature, PreparedCoverage } from '../results.js';
import { CODE_LEAF_METRIC, LEAF_METRIC } from './coverage-figures.js';
import { countCoverage, placeFeatures } from './place-features.js';
import { leavesTold } from './leaves-told.js';
import { readTaxonomy } from './taxonomy.js';

/** Assigns each planned feature to a leaf of its project's taxonomy; null without a plan or a taxonomy. */
export async function coverageOfPlan(context: StageContext, { plan }: MadeCandidate): Promise<PreparedCoverage | null> {
  const taxonomy = plan === undefined ? null : await readTaxonomy(context.suiteFolder, context.scope ?? '');
  if (plan === undefined || taxonomy === null) return null;
  const features = await readJsonBlob<PlannedFeature[]>(context.blobs, plan);
  const texts = features.map(({ path, description }) => `${path.slice(1).join(', ')}: ${description}`);
  const vectors = await context.embedder.embed(texts);
  const placed = await placeFeatures(context, taxonomy.leaves, { texts, vectors, evidence: 'plan-coverage.json' });
  const counted = features.map(({ isDone }, place) => ({ isDone, leaf: placed.nearest[place] ?? null }));
  return { ...countCoverage(counted, taxonomy.leaves.length), ...placed.others };
}

/**
 * What a trial's row says of the plan and the code behind it: the counts, and for each leaf its category is about
 * (`taxonomy_leaf_<place>`) whether something was planned for it or, without a plan, is in its code; beside a plan what is in the
 * code as well (`code_leaf_<place>`).
 */
export async function coverageMetrics(context: StageContext): Promise<Record<string, number>> {
  if (context.prepared === null) return {};
  const { coverage, codeCoverage } = preparedOf(context.prepared);
  const known = coverage ?? codeCoverage;
  if (known === undefined) return {};
  const taxonomy = await readTaxonomy(context.suiteFolder, context.scope ?? '');
  const own = taxonomy?.leavesOf(context.task?.category ?? '') ?? [];
  const places = own.map((name) => taxonomy?.leaves.indexOf(name) ?? -1);
  const leavesIn = (prefix: string, { planned }: Pick<PreparedCoverage, 'planned'>) =>
    Object.fromEntries(places.map((place) => [`${prefix}${place}`, planned.includes(place) ? 1 : 0]));
  return {
    ...{ taxonomy_leaves: known.leaves, taxonomy_mapped: taxonomy?.isMapped ? 1 : 0 },
    purpose_leaves: leavesTold(purposeOf(context).text, taxonomy?.leaves ?? []).length,
    ...(coverage === undefined ? {} : planMetrics(coverage)),
    ...(codeCoverage === undefined ? {} : othersOf('code', codeCoverage)),
    ...leavesIn(LEAF_METRIC, known),
    ...(coverage === undefined || codeCoverage === undefined ? {} : leavesIn(CODE_LEAF_METRIC, codeCoverage)),
  };
}

function planMetrics(coverage: PreparedCoverage): Record<string, number> {
  const { planned, features, outside, done, doneOutside } = coverage;
  return {
    ...{ taxonomy_planned: planned.length, plan_features: features, plan_outside: outside },
    ...{ plan_done: done, plan_done_outside: doneOutside },
    ...othersOf('plan', coverage),
  };
}

/** `code_covered`, `code_clusters_covered` …: the same counts by every method there is. */
function othersOf(
  of: 'plan' | 'code',
  { planned, features, outside, clusters, judged }: Omit<PreparedCoverage, 'done' | 'doneOutside'>,
): Record<string, number> {
  const counts: Record<string, number | null | undefined> = {
    ...{ covered: planned.length, features, outside, clusters_covered: clusters?.planned },
    ...{ clusters_outside: clusters?.outside, clusters_agreement: clusters?.agreement },
    clusters_kappa: clusters?.kappa,
    ...(judged?.trusted === true ? judgedMetrics(judged) : {}),
  };
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) => (count == null ? [] : [[`${of}_${name}`, count] as const])),
  );
}

function judgedMetrics({ planned, outside, moved, answered, asNearest, asClusters }: JudgedCoverage) {
  return {
    ...{ judged_covered: planned, judged_outside: outside, judged_moved: moved, judged_answered: answered },
    ...{ judged_as_nearest: asNearest?.agreed, judged_as_nearest_kappa: asNearest?.kappa },
    ...{ judged_as_clusters: asClusters?.agreed, judged_as_clusters_kappa: asClusters?.kappa },
  };
}

type JudgedCoverage = NonNullable<PreparedCoverage['judged']>;
