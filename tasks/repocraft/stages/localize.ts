import type { StageFunction } from '../../../src/ports/suite.js';
import type { Located, Match } from '../results.js';
import { entryPath, preparedOf, readIndex } from './candidate-index.js';
import { loadTask } from './load-task.js';
import { closestRows } from './rank.js';
import { shortText } from './short-text.js';

/** How many entries are returned. */
export const TOP_MATCHES = 5;

/** Cosine below which an entry is not the capability at all; unrelated pairs measure 0.04–0.10 (until calibrated). */
export const SIMILARITY_FLOOR = 0.25;

/** Bytes of a name in a history: a candidate chooses it. */
const MAX_NAME_BYTES = 200;

/** Embeds the description and returns the closest entries of the candidate above the floor. */
export const localizeTask: StageFunction = async (context) => {
  const prepared = preparedOf(context.prepared);
  const task = await loadTask(context);
  if (prepared.entries === 0 || prepared.vectors === null) return { result: located([]) };
  const index = await readIndex(context.blobs, prepared);
  const [query] = await context.embedder.embed([task.description]);
  const table = floats(await context.blobs.get(prepared.vectors));
  // Counted, not assumed: a candidate that an earlier version prepared has one view an entry.
  const views = table.length / (index.entries.length * (query?.length ?? 1));
  const closest = closestRows(query ?? new Float32Array(0), table, { top: TOP_MATCHES, views });
  const found = closest.flatMap(({ row, score }) => {
    const entry = index.entries[row];
    return entry === undefined ? [] : [{ row, score, entry }];
  });
  const label = { name: 'matches.json', mediaType: 'application/json' };
  const evidence = { embedder: context.embedder.id, floor: SIMILARITY_FLOOR, description: task.description, found };
  await context.attach(JSON.stringify(evidence, null, 1), label);
  const matches = found
    .filter(({ score }) => score >= SIMILARITY_FLOOR)
    .map(({ row, score, entry }): Match => ({
      entry: row,
      name: shortText(entryPath(entry), MAX_NAME_BYTES),
      score: rounded(score),
    }));
  return { result: located(matches) };
};

const located = (matches: Match[]): Located => ({ searched: true, localized: matches.length > 0, matches });

/** A copy: typed arrays need aligned memory of their own. */
const floats = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;
