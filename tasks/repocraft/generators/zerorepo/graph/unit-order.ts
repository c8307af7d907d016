import type { InterfaceDesign, PlanningGraph } from './planning-graph.js';
import { topologicalOrder, type Ordered } from './topological-order.js';

/** One interface to implement, with what has to be there before. */
export interface PlannedUnit {
  id: string;
  module: string;
  /** Interfaces it cannot work without: called, derived from. A failed one blocks it. */
  needs: string[];
  /** Interfaces of its module that come before it: `needs`, and those of the files its file builds on. */
  after: string[];
}

/** Modules with data flowing into them come after those it flows from; ties in the order of the graph. */
export function moduleOrder({ modules, flows }: Pick<PlanningGraph, 'modules' | 'flows'>): Ordered {
  return topologicalOrder(
    modules.map(({ name }) => name),
    (name) => flows.flatMap(({ source, target }) => (target === name ? [source] : [])),
  );
}

/** All modules that data flows from into a module, through others too. */
export function upstreamModules({ flows }: Pick<PlanningGraph, 'flows'>, module: string): Set<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    for (const { source, target } of flows) {
      if (target !== name || found.has(source)) continue;
      found.add(source);
      visit(source);
    }
  };
  visit(module);
  found.delete(module);
  return found;
}

/** Interfaces that come after a file, because they or what they build on build on it: nothing in the file may use them. */
export function laterThan(graph: Pick<PlanningGraph, 'files' | 'interfaces'>, path: string): Set<string> {
  const [files, found] = [new Set([path]), new Set<string>()];
  const after = new Map(graph.files.map((file) => [file.path, file.after]));
  const isLate = (file: string): boolean => (after.get(file) ?? []).some((other) => files.has(other));
  for (let before = -1; before < files.size + found.size;) {
    before = files.size + found.size;
    for (const one of graph.interfaces) {
      if (!isLate(one.file) && !needsOf(one).some((need) => found.has(need))) continue;
      found.add(one.id);
      files.add(one.file);
    }
    for (const file of after.keys()) if (isLate(file)) files.add(file);
  }
  return found;
}

/**
 * Files in the order in which they are designed: by data flow, file order, then as they stand. The order of units is a
 * refinement of it where interfaces only use what was designed before them.
 */
export function fileOrder(graph: Pick<PlanningGraph, 'files' | 'modules' | 'flows'>): Ordered {
  const inModule = groupBy(graph.files, ({ module }) => module);
  const before = (path: string): string[] => {
    const file = graph.files.find((one) => one.path === path);
    if (!file) return [];
    const upstream = [...upstreamModules(graph, file.module)].flatMap((module) => inModule.get(module) ?? []);
    return [...file.after, ...upstream.map((one) => one.path)];
  };
  return topologicalOrder(
    graph.files.map(({ path }) => path),
    before,
  );
}

/**
 * Units in topological order over every kind of dependency: data flow between modules, file order, inherits and
 * invokes. Ties in the order of the graph.
 */
export function unitOrder(graph: PlanningGraph): { units: PlannedUnit[] } | { cycle: string[] } {
  const moduleOf = new Map(graph.files.map(({ path, module }) => [path, module]));
  const inFile = groupBy(graph.interfaces, ({ file }) => file);
  const afterFiles = new Map(graph.files.map(({ path, after }) => [path, after]));
  const own = new Map(graph.interfaces.map((one) => [one.id, one]));
  // Ends of files and modules are nodes too: without them a plan of n units would have n² edges.
  const fileEnd = (path: string): string => `end of file ${path}`;
  const moduleEnd = (name: string): string => `end of module ${name}`;
  const nodes = [
    ...graph.interfaces.map(({ id }) => id),
    ...graph.files.map(({ path }) => fileEnd(path)),
    ...graph.modules.map(({ name }) => moduleEnd(name)),
  ];
  const before = new Map<string, string[]>();
  const sources = groupBy(graph.flows, ({ target }) => target);
  for (const unit of graph.interfaces) {
    const upstream = (sources.get(moduleOf.get(unit.file) ?? '') ?? []).map(({ source }) => moduleEnd(source));
    const files = (afterFiles.get(unit.file) ?? []).map(fileEnd);
    before.set(unit.id, [...needsOf(unit), ...files, ...upstream]);
  }
  for (const { path } of graph.files)
    before.set(fileEnd(path), [
      ...(inFile.get(path) ?? []).map(({ id }) => id),
      ...(afterFiles.get(path) ?? []).map(fileEnd),
    ]);
  for (const { name } of graph.modules) {
    const files = graph.files.filter(({ module }) => module === name).map(({ path }) => fileEnd(path));
    before.set(moduleEnd(name), [...files, ...(sources.get(name) ?? []).map(({ source }) => moduleEnd(source))]);
  }
  const ordered = topologicalOrder(nodes, (node) => before.get(node) ?? []);
  if ('cycle' in ordered) return ordered;
  const units = ordered.order.flatMap((id): PlannedUnit[] => {
    const unit = own.get(id);
    if (!unit) return [];
    const module = moduleOf.get(unit.file) ?? '';
    const earlier = (afterFiles.get(unit.file) ?? []).flatMap((path) => inFile.get(path) ?? []);
    const needs = needsOf(unit);
    const inside = needs.filter((need) => moduleOf.get(own.get(need)?.file ?? '') === module);
    return [{ id, module, needs, after: [...new Set([...inside, ...earlier.map((one) => one.id)])] }];
  });
  return { units };
}

/** Interfaces in the order of their units: what is called or derived from comes before what uses it. */
export function orderedDesigns(graph: PlanningGraph): InterfaceDesign[] {
  const ordered = unitOrder(graph);
  if ('cycle' in ordered) return graph.interfaces;
  const designs = new Map(graph.interfaces.map((one) => [one.id, one]));
  return ordered.units.flatMap(({ id }) => designs.get(id) ?? []);
}

/** Interfaces that a unit cannot work without. */
export function needsOf({ invokes, inherits }: Pick<InterfaceDesign, 'invokes' | 'inherits'>): string[] {
  return [...new Set([...inherits, ...invokes])];
}

function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
