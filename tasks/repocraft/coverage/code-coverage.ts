import type { StageContext } from '../../../src/suite/stage.js';
import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';
import type { CodeCoverage } from '../results.js';
import { entryViews } from '../search/entry-text.js';
import { vectorTable } from '../search/vectors.js';
import { countCoverage, placeFeatures } from './place-features.js';
import { readTaxonomy } from './taxonomy.js';

/** Features of one candidate that are placed; of a larger one every n-th. */
const MOST_FEATURES = 3000;

/**
 * Places a candidate's public functions, classes and methods in its project's taxonomy, so that systems without a plan have
 * coverage and novelty too. By the vectors it is searched with, so it costs no embedding; null where there are none.
 */
export async function coverageOfCode(
  context: StageContext,
  { index, vectors }: { index: CandidateIndex; vectors: string | null },
): Promise<CodeCoverage | null> {
  const taxonomy = await readTaxonomy(context.suiteFolder, context.scope ?? '');
  if (taxonomy === null || vectors === null || index.entries.length === 0) return null;
  const table = vectorTable(await context.blobs.get(vectors));
  const width = table.length / index.entries.length;
  const open = index.entries.flatMap((entry, row) => (isOffered(entry) ? [{ entry, row }] : []));
  const stride = Math.max(1, Math.ceil(open.length / MOST_FEATURES));
  const chosen = open.filter((_, place) => place % stride === 0);
  const views = entryViews(index.entries[0]!).length;
  const placed = await placeFeatures(context, taxonomy.leaves, {
    texts: chosen.map(({ entry }) => entryViews(entry)[0] ?? ''),
    vectors: chosen.map(({ row }) => table.subarray(row * width, row * width + width / views)),
    evidence: 'code-coverage.json',
  });
  const counts = countCoverage(
    placed.nearest.map((leaf) => ({ leaf, isDone: true })),
    taxonomy.leaves.length,
  );
  const { leaves, planned, features, outside } = counts;
  return { leaves, planned, features, outside, ...placed.others };
}

/** Not private, not in something private, and no constant. */
const isOffered = ({ kind, qualname }: CandidateEntry): boolean =>
  kind !== 'value' && !qualname.split('.').some((name) => name.startsWith('_'));
