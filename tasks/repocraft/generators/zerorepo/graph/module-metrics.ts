import type { PlanningGraph } from './planning-graph.js';

/** How well one module holds together. */
export interface ModuleMetrics {
  module: string;
  features: number;
  /**
   * Share (0..1) of its relations that stay inside, 1 where it has none. Relations: pairs of features of one subarea,
   * and uses between interfaces.
   */
  cohesion: number;
  /** Module → share (0..1) of its relations that lead there; only those above 0. */
  coupling: Record<string, number>;
}

/** Cohesion and coupling of every module, in the order of the graph. */
export function moduleMetrics(graph: PlanningGraph): ModuleMetrics[] {
  const counts = relations(graph);
  return graph.modules.map(({ name }) => {
    const inside = counts.get(pairKey(name, name)) ?? 0;
    const outside = graph.modules
      .filter((other) => other.name !== name)
      .map((other): [string, number] => [other.name, counts.get(pairKey(name, other.name)) ?? 0])
      .filter(([, count]) => count > 0);
    const all = outside.reduce((sum, [, count]) => sum + count, inside);
    const features = graph.features.filter(({ module }) => module === name).length;
    const coupling = Object.fromEntries(outside.map(([other, count]) => [other, count / all]));
    return { module: name, features, cohesion: all === 0 ? 1 : inside / all, coupling };
  });
}

/** Sentences on which modules to split or to merge; empty when the graph is even. */
export function moduleHints(graph: PlanningGraph): string[] {
  const metrics = moduleMetrics(graph);
  const mean = graph.features.length / Math.max(1, metrics.length);
  return metrics.flatMap(({ module, features, cohesion, coupling }) => {
    const [nearest] = Object.entries(coupling).sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    if (metrics.length > 1 && features > 2.5 * mean && features > 10)
      return [`split "${module}": it has ${features} features, the mean is ${Math.round(mean)}`];
    if (nearest === undefined || metrics.length <= 3) return [];
    const [other, share] = nearest;
    return cohesion < share
      ? [`merge "${module}" into "${other}": ${Math.round(share * 100)} % of its relations lead there`]
      : [];
  });
}

/** Pair of modules → number of relations between them; within one module under the pair with itself. */
function relations(graph: PlanningGraph): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (one: string, other: string, count: number): void => {
    if (count > 0) counts.set(pairKey(one, other), (counts.get(pairKey(one, other)) ?? 0) + count);
  };
  const areas = new Map<string, Map<string, number>>();
  for (const { path, module } of graph.features) {
    if (module === null) continue;
    const area = areas.get(path.slice(0, -1).join('\n')) ?? new Map<string, number>();
    areas.set(path.slice(0, -1).join('\n'), area.set(module, (area.get(module) ?? 0) + 1));
  }
  for (const area of areas.values()) {
    const sizes = [...area];
    sizes.forEach(([one, size], index) => {
      add(one, one, (size * (size - 1)) / 2);
      for (const [other, otherSize] of sizes.slice(index + 1)) add(one, other, size * otherSize);
    });
  }
  const moduleOf = new Map(graph.files.map(({ path, module }) => [path, module]));
  const fileOf = new Map(graph.interfaces.map(({ id, file }) => [id, file]));
  for (const { file, invokes, inherits } of graph.interfaces) {
    for (const used of [...invokes, ...inherits]) {
      const [from, to] = [moduleOf.get(fileOf.get(used) ?? ''), moduleOf.get(file)];
      if (from !== undefined && to !== undefined) add(from, to, 1);
    }
  }
  return counts;
}

const pairKey = (one: string, other: string): string => [one, other].sort().join('\n');
