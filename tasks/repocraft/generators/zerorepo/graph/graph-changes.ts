import { fingerprints } from './fingerprints.js';
import { graphProblems } from './graph-problems.js';
import type { PlanningGraph } from './planning-graph.js';

/** What differs between two graphs, a sentence a list; empty when nothing does. */
export function graphChanges(before: PlanningGraph, after: PlanningGraph): string[] {
  const lists = [
    difference('features', before.features, after.features, ({ id }) => id),
    difference('modules', before.modules, after.modules, ({ name }) => name),
    difference('flows', before.flows, after.flows, ({ source, target, id }) => `${source}\n${target}\n${id}`),
    difference('files', before.files, after.files, ({ path }) => path),
    difference('interfaces', before.interfaces, after.interfaces, ({ id }) => id),
  ];
  const about = (['title', 'purpose', 'package'] as const).filter((key) => before[key] !== after[key]);
  return [
    ...about.map((key) => `${key} changed`),
    ...lists.filter((sentence) => sentence !== null),
    ...unitChanges(before, after),
  ];
}

function difference<Item>(
  name: string,
  before: readonly Item[],
  after: readonly Item[],
  key: (item: Item) => string,
): string | null {
  const old = new Map(before.map((item) => [key(item), JSON.stringify(item)]));
  const now = new Map(after.map((item) => [key(item), JSON.stringify(item)]));
  const counts = {
    added: [...now.keys()].filter((each) => !old.has(each)).length,
    removed: [...old.keys()].filter((each) => !now.has(each)).length,
    changed: [...now].filter(([each, text]) => old.has(each) && old.get(each) !== text).length,
  };
  const told = Object.entries(counts).flatMap(([word, count]) => (count === 0 ? [] : [`${count} ${word}`]));
  if (told.length > 0) return `${name}: ${told.join(', ')}`;
  return [...old.keys()].join('\n') === [...now.keys()].join('\n') ? null : `${name}: in another order`;
}

/** Units whose fingerprint both graphs have are never generated again. */
function unitChanges(before: PlanningGraph, after: PlanningGraph): string[] {
  if ([before, after].some((graph) => graphProblems(graph, 'interfaces').length > 0)) return [];
  const known = fingerprints(before);
  const kept = [...fingerprints(after)].filter(([id, print]) => known.get(id) === print).length;
  return kept === after.interfaces.length
    ? []
    : [`units: ${kept} stay as they are, ${after.interfaces.length - kept} are to be written`];
}
