import type { StageContext } from '../../../src/suite/stage.js';
import { preparedOf, type CandidateEntry, type CandidateIndex } from '../candidate/candidate-index.js';
import { entryViews } from '../search/entry-text.js';
import { closestEntries } from '../search/rank.js';
import { vectorTable } from '../search/vectors.js';
import { isKind, type Choice } from './bind.js';
import { SymbolTable } from './symbol-table.js';

interface Sought {
  reference: CandidateIndex;
  candidate: CandidateIndex;
  /** What stands for something else. */
  taken: readonly Choice[];
  /** 1 = the closest. */
  place: number;
}

/** Entries by similarity alone among which those of the same kind are taken. */
const LOOKED_AT = 100;

/**
 * The top-level definition of the candidate that is closest to a reference path by what is written of both, of the same kind; null where
 * nothing is written of it, or there are not so many. Found as a search finds it, without a threshold: a guess, to be run.
 */
export async function closestTo(
  { blobs, embedder, prepared }: Pick<StageContext, 'blobs' | 'embedder' | 'prepared'>,
  path: string,
  { reference, candidate, taken, place }: Sought,
): Promise<Choice | null> {
  const wanted = new SymbolTable(reference).resolve(path);
  const own = reference.entries.find(
    ({ owner, module, name }) => owner === null && module === wanted?.module && name === wanted.name,
  );
  const { vectors } = preparedOf(prepared);
  if (wanted === null || own === undefined || vectors === null) return null;
  const searched = { entries: candidate.entries, table: vectorTable(await blobs.get(vectors)) };
  const best = new Map<number, number>();
  for (const query of await embedder.embed(entryViews(own)))
    for (const { row, score } of closestEntries(query, searched, LOOKED_AT))
      best.set(row, Math.max(score, best.get(row) ?? -1));
  const isTaken = ({ module, name }: CandidateEntry): boolean =>
    taken.some((other) => other.module === module && other.name === name);
  const ranked = [...best].sort(([a, one], [b, other]) => other - one || a - b);
  const free = ranked.flatMap(([row]) => {
    const entry = candidate.entries[row];
    return entry !== undefined && entry.owner === null && isKind(entry, wanted) && !isTaken(entry) ? [entry] : [];
  });
  const found = free[place - 1];
  return found === undefined ? null : { module: found.module, name: found.name };
}
