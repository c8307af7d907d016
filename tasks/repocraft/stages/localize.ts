import type { StageFunction } from '../../../src/ports/suite.js';
import { preparedOf, readIndex } from '../candidate/candidate-index.js';
import type { Located, Match } from '../results.js';
import { closestEntries, matchesOf, SIMILARITY_FLOOR } from '../search/closest-entries.js';
import { vectorTable } from '../search/vectors.js';
import { loadTask } from './load-task.js';

/** Embeds the description and returns the closest entries of the candidate above the floor. */
export const localizeTask: StageFunction = async (context) => {
  const prepared = preparedOf(context.prepared);
  const task = await loadTask(context);
  if (prepared.entries === 0 || prepared.vectors === null) return { result: located([]) };
  const index = await readIndex(context.blobs, prepared);
  const [query] = await context.embedder.embed([task.description]);
  const table = vectorTable(await context.blobs.get(prepared.vectors));
  const found = closestEntries(query ?? new Float32Array(0), { entries: index.entries, table });
  const label = { name: 'matches.json', mediaType: 'application/json' };
  const evidence = { embedder: context.embedder.id, floor: SIMILARITY_FLOOR, description: task.description, found };
  await context.attach(JSON.stringify(evidence, null, 1), label);
  return { result: located(matchesOf(found)) };
};

const located = (matches: Match[]): Located => ({ searched: true, localized: matches.length > 0, matches });
