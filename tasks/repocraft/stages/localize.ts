import type { StageFunction } from '../../../src/suite/stage.js';
import { preparedOf, readIndex } from '../candidate/candidate-index.js';
import { referenceIndex } from '../candidate/reference-candidate.js';
import type { Located, Match } from '../results.js';
import { matchesOf, searchEntries, SIMILARITY_FLOOR } from '../search/closest-entries.js';
import { rerank } from '../search/rerank.js';
import { isNameOf, rowsNamed } from '../search/same-name.js';
import { leadOf } from '../search/query.js';
import { vectorTable } from '../search/vectors.js';
import { rerankSettings } from '../settings.js';
import { loadTask } from './load-task.js';

/**
 * Searches the candidate with the description and returns the closest entries above the floor, in the order of a model where the
 * campaign names one. What is called like the target is marked; it is found no better for that. Where nothing is, what is called like
 * another definition of the reference is.
 */
export const localizeTask: StageFunction = async (context) => {
  const prepared = preparedOf(context.prepared);
  const task = await loadTask(context);
  if (prepared.entries === 0 || prepared.vectors === null) return { result: located([], []) };
  const index = await readIndex(context, prepared.index);
  const table = vectorTable(await context.blobs.get(prepared.vectors));
  const settings = rerankSettings(context.campaign.spec);
  const searched = { entries: index.entries, table };
  const found = await searchEntries(context.embedder, task, searched, settings?.among);
  const reranked = settings === null ? null : await rerank(context, { task, found, settings });
  const sameNamed = rowsNamed(task.targets[0] ?? '', index.entries);
  const label = { name: 'matches.json', mediaType: 'application/json' };
  const evidence = {
    embedder: context.embedder.id,
    floor: SIMILARITY_FLOOR,
    description: task.description,
    lead: leadOf(task.description),
    found,
    ...(reranked === null ? {} : { reranked: reranked.why ?? reranked.found.map(({ row }) => row) }),
    sameNamed: sameNamed.slice(0, MOST_SHOWN).flatMap((row) => index.entries[row] ?? []),
  };
  await context.attach(JSON.stringify(evidence, null, 1), label);
  const matches = matchesOf(reranked?.found ?? found);
  if (sameNamed.length > 0 || matches.length === 0) return { result: located(matches, sameNamed) };
  const reference = await referenceIndex(context, task.project);
  const isOther = ({ entry }: Match): boolean => isNameOf(reference.entries, index.entries[entry]);
  const marked = matches.map((match): Match => (isOther(match) ? { ...match, otherName: true } : match));
  return { result: located(marked, sameNamed) };
};

/** Entries of the same name that the evidence shows. */
const MOST_SHOWN = 20;

const located = (matches: readonly Match[], sameNamed: readonly number[]): Located => ({
  searched: true,
  localized: matches.length > 0,
  matches: matches.map((match) => (sameNamed.includes(match.entry) ? { ...match, sameName: true } : match)),
  sameName: sameNamed.length > 0,
});
