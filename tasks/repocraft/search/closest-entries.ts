import type { Embedder } from '../../../src/ports/embedder.js';
import { entryPath, type CandidateEntry } from '../candidate/candidate-index.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { Match } from '../results.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { byEvidence, toldBy } from './evidence.js';
import { queryVector } from './query.js';
import { closestEntries, type Ranked } from './rank.js';

/** How many entries are returned. */
export const TOP_MATCHES = 5;

/**
 * Similarity below which an entry is not the capability at all. Low on purpose: on labelled candidates no right entry lies below 0.30,
 * and what is above says little, since a library without its target has something else there; that is for the vote to tell
 * (docs/results/calibration.md).
 */
export const SIMILARITY_FLOOR = 0.25;

/** Bytes of a name in a history: a candidate chooses it. */
const MAX_NAME_BYTES = 200;

/** An entry close to a description. */
export type Found = Ranked & { entry: CandidateEntry };

/** What a candidate is searched in: its entries and their vectors, as `prepare` leaves them. */
interface Searched {
  entries: readonly CandidateEntry[];
  table: Float32Array;
}

/** Entries by similarity alone among which further evidence chooses. */
const LOOKED_AT = 60;

/** What is searched for. */
type Wanted = Pick<RepocraftTask, 'description' | 'test_code'>;

/** Searches a candidate for the subject of a task: the `top` closest entries, best first. */
export async function searchEntries(
  embedder: Pick<Embedder, 'embed'>,
  wanted: Wanted,
  searched: Searched,
  top = TOP_MATCHES,
): Promise<Found[]> {
  const query = await queryVector(embedder, wanted.description);
  const { entries } = searched;
  const closest = closestEntries(query, searched, LOOKED_AT);
  return byEvidence(closest, { entries, told: toldBy(wanted), top }).flatMap((ranked) => {
    const entry = entries[ranked.row];
    return entry === undefined ? [] : [{ ...ranked, entry }];
  });
}

/** The matches among what was found: the first of it above the floor, as a history keeps them. */
export const matchesOf = (found: readonly Found[]): Match[] =>
  found
    .slice(0, TOP_MATCHES)
    .filter(({ score }) => score >= SIMILARITY_FLOOR)
    .map(({ row, score, entry }) => ({
      entry: row,
      name: shownName(entry),
      score: rounded(score),
    }));

/** The path of an entry, as a history keeps it. */
export const shownName = (entry: CandidateEntry): string => shortText(entryPath(entry), MAX_NAME_BYTES);

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;
