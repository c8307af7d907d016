import type { StageFunction } from '../../../src/ports/suite.js';
import type { Located, Match } from '../results.js';
import { entryPath, preparedOf, readIndex, type CandidateEntry } from '../candidate/candidate-index.js';
import { loadTask } from './load-task.js';
import { closestRows, type Ranked } from '../search/rank.js';
import { shortText } from '../text/short-text.js';

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
  const found = closestEntries(query ?? new Float32Array(0), { entries: index.entries, table });
  const label = { name: 'matches.json', mediaType: 'application/json' };
  const evidence = { embedder: context.embedder.id, floor: SIMILARITY_FLOOR, description: task.description, found };
  await context.attach(JSON.stringify(evidence, null, 1), label);
  return { result: located(matchesOf(found)) };
};

/** An entry close to a description. */
export type Found = Ranked & { entry: CandidateEntry };

/** The entries closest to a description's vector, best first; `table`: their vectors, as `prepare` leaves them. */
export function closestEntries(
  query: Float32Array,
  { entries, table }: { entries: readonly CandidateEntry[]; table: Float32Array },
): Found[] {
  // Counted, not assumed: a candidate that an earlier version prepared has one view an entry.
  const views = table.length / (entries.length * (query.length || 1));
  return closestRows(query, table, { top: TOP_MATCHES, views }).flatMap((ranked) => {
    const entry = entries[ranked.row];
    return entry === undefined ? [] : [{ ...ranked, entry }];
  });
}

/** Those above the floor, as a history keeps them. */
export const matchesOf = (found: readonly Found[]): Match[] =>
  found
    .filter(({ score }) => score >= SIMILARITY_FLOOR)
    .map(({ row, score, entry }) => ({
      entry: row,
      name: shortText(entryPath(entry), MAX_NAME_BYTES),
      score: rounded(score),
    }));

const located = (matches: Match[]): Located => ({ searched: true, localized: matches.length > 0, matches });

/** A table of vectors as it is stored. A copy: typed arrays need aligned memory of their own. */
export const floats = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;
