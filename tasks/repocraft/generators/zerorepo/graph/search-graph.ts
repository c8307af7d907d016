import type { InterfaceDesign, PlanningGraph } from './planning-graph.js';

/** The interfaces nearest to some words, best first: shared pieces of three letters, names counting double. */
export function nearestInterfaces(graph: PlanningGraph, words: string, most: number): string[] {
  const wanted = trigrams(words);
  const scored = graph.interfaces.map((one) => ({ id: one.id, score: score(one, wanted) }));
  const found = scored.filter(({ score: own }) => own > 0).sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  return found.slice(0, most).map(({ id }) => id);
}

function score(one: InterfaceDesign, wanted: ReadonlySet<string>): number {
  const shared = (text: string): number => [...trigrams(text)].filter((piece) => wanted.has(piece)).length;
  const all = Math.max(1, wanted.size);
  return (2 * shared(one.name) + shared(one.docstring)) / all;
}

function trigrams(text: string): Set<string> {
  const bare = ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
  return new Set(Array.from({ length: Math.max(0, bare.length - 2) }, (_, at) => bare.slice(at, at + 3)));
}
