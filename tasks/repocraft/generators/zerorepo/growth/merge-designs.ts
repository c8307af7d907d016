import type { PlanningGraph } from '../graph/planning-graph.js';

/** Designs of several modules in one graph; `first` is what they all began with. */
export function mergeDesigns(first: PlanningGraph, designs: readonly PlanningGraph[]): PlanningGraph {
  const byId = new Map(
    [first, ...designs].flatMap(({ interfaces }) => interfaces.map((one) => [one.id, one] as const)),
  );
  const place = new Map(first.files.map(({ path }, index) => [path, index]));
  return {
    ...first,
    // Array sorting is stable: within a file the order of the design stays.
    interfaces: [...byId.values()].sort((a, b) => (place.get(a.file) ?? 0) - (place.get(b.file) ?? 0)),
  };
}
