import type { StageFunction } from '../../../src/suite/stage.js';
import { isKind } from '../adaptation/bind.js';
import { SymbolTable } from '../adaptation/symbol-table.js';
import { preparedOf, readIndex } from '../candidate/candidate-index.js';
import { referenceIndex } from '../candidate/reference-candidate.js';
import type { FurtherResult } from '../results.js';
import { shownName, TOP_MATCHES } from '../search/closest-entries.js';
import { leadOf } from '../search/query.js';
import { closestEntries } from '../search/rank.js';
import { isNameOf, rowsNamed } from '../search/same-name.js';
import { vectorTable } from '../search/vectors.js';
import { loadTask } from './load-task.js';

/** Entries by similarity alone among which those of the target's kind are taken. */
const LOOKED_AT = 100;

/**
 * What else may be the target, once the test has passed on none of the matches: what is called like it; where nothing is, what is of
 * its kind and closest to what the description says of it before it comes to its use, and not called like another definition of the
 * reference. It is no match: a run has to say what it is.
 */
export const searchFurther: StageFunction = async (context) => {
  const { seen } = context.input as { seen: number[] };
  const task = await loadTask(context);
  const target = task.targets[0] ?? '';
  const { index, vectors } = preparedOf(context.prepared);
  const { entries } = await readIndex(context, index);
  const reference = await referenceIndex(context, task.project);
  const named = rowsNamed(target, entries);
  const wanted = new SymbolTable(reference).resolve(target);
  const isOfKind = (row: number): boolean => {
    const entry = entries[row];
    if (entry === undefined || entry.owner !== null || wanted === null) return false;
    return isKind(entry, wanted) && !isNameOf(reference.entries, entry);
  };
  const closest = async (): Promise<number[]> => {
    const [query] = await context.embedder.embed([leadOf(task.description)]);
    if (vectors === null || query === undefined) return [];
    const table = vectorTable(await context.blobs.get(vectors));
    return closestEntries(query, { entries, table }, LOOKED_AT).map(({ row }) => row);
  };
  const rows = named.length > 0 ? named : (await closest()).filter(isOfKind);
  const further = rows.filter((row) => !seen.includes(row)).slice(0, TOP_MATCHES);
  const result: FurtherResult = {
    matches: further.flatMap((row) => {
      const entry = entries[row];
      return entry === undefined ? [] : [{ entry: row, name: shownName(entry) }];
    }),
  };
  return { result };
};
