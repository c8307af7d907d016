import type { Feature, PlanningGraph } from '../graph/planning-graph.js';

/** A leaf somebody proposes. */
export interface ProposedFeature {
  path: string[];
  description: string;
}

/** Adds what is new, with ids in order; what is there already, in other case or spelling, is passed over. */
export function addFeatures(
  graph: PlanningGraph,
  proposed: readonly ProposedFeature[],
): { graph: PlanningGraph; accepted: Feature[] } {
  const known = new Set(graph.features.map(({ path }) => pathKey(path)));
  let last = graph.features.reduce((most, { id }) => Math.max(most, Number(id.slice(1))), 0);
  const accepted: Feature[] = [];
  for (const { path, description } of proposed) {
    const key = pathKey(path);
    if (path.length < 2 || known.has(key)) continue;
    known.add(key);
    last += 1;
    accepted.push({ id: `f${last}`, path, description, module: null, file: null });
  }
  return { graph: { ...graph, features: [...graph.features, ...accepted] }, accepted };
}

const pathKey = (path: readonly string[]): string =>
  path
    .map((name) =>
      name
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim(),
    )
    .join(' / ');
