import { MOST_MODULES, type GraphModule, type PlanningGraph } from '../graph/planning-graph.js';

/** One round of sorting features into modules. */
export interface ModuleChanges {
  modules: { name: string; description: string }[];
  assign: Record<string, string>;
  merge: Record<string, string>;
  rename: Record<string, string>;
}

/** Applies what can be applied: renames, new modules, merges, assignments, in that order; says what could not. */
export function changeModules(
  graph: PlanningGraph,
  changes: ModuleChanges,
): { graph: PlanningGraph; problems: string[] } {
  const problems: string[] = [];
  const modules = new Map(graph.modules.map((module) => [module.name, module]));
  const moved = new Map<string, string>();
  for (const [from, to] of Object.entries(changes.rename)) {
    const module = modules.get(from);
    if (!module || modules.has(to)) problems.push(`cannot rename "${from}" to "${to}"`);
    else replaceKey(modules, from, { ...module, name: to });
    if (module && modules.has(to)) moved.set(from, to);
  }
  for (const { name, description } of changes.modules) {
    if (!modules.has(name) && modules.size >= MOST_MODULES) {
      problems.push(`"${name}" would be one module too many: at most ${MOST_MODULES}`);
      continue;
    }
    modules.set(name, { ...(modules.get(name) ?? { folder: null }), name, description });
  }
  for (const [from, into] of Object.entries(changes.merge)) {
    if (from === into || !modules.has(from) || !modules.has(into))
      problems.push(`cannot merge "${from}" into "${into}"`);
    else {
      modules.delete(from);
      moved.set(from, into);
    }
  }
  const known = new Set(graph.features.map(({ id }) => id));
  for (const [id, name] of Object.entries(changes.assign)) {
    if (!known.has(id)) problems.push(`there is no feature ${id}`);
    else if (!modules.has(finalName(name, moved)))
      problems.push(`feature ${id} is assigned to "${name}", which is no module`);
  }
  const features = graph.features.map((feature) => {
    const wanted = changes.assign[feature.id] ?? feature.module;
    const name = wanted === null ? null : finalName(wanted, moved);
    if (name !== null && modules.has(name)) return { ...feature, module: name };
    return feature.module !== null && !modules.has(feature.module) ? { ...feature, module: null } : feature;
  });
  return { graph: { ...graph, modules: [...modules.values()], features }, problems };
}

/** Features without a module go where most of their area is, else into the largest module: no leaf is lost. */
export function settleModules(graph: PlanningGraph): { graph: PlanningGraph; repaired: string[] } {
  const modules = graph.modules.length > 0 ? graph.modules : [{ name: 'Core', description: graph.title, folder: null }];
  const repaired: string[] = [];
  const sizes = (among: PlanningGraph['features']): string | undefined => {
    const counts = modules.map(({ name }) => among.filter(({ module }) => module === name).length);
    const most = Math.max(0, ...counts);
    return most === 0 ? undefined : modules[counts.indexOf(most)]?.name;
  };
  const features = graph.features.map((feature) => {
    if (feature.module !== null) return feature;
    const area = graph.features.filter(({ path }) => path[0] === feature.path[0]);
    const module = sizes(area) ?? sizes(graph.features) ?? modules[0]?.name ?? 'Core';
    repaired.push(`${feature.id} was in no module; put into "${module}"`);
    return { ...feature, module };
  });
  const used = new Set(features.map(({ module }) => module));
  return { graph: { ...graph, features, modules: modules.filter(({ name }) => used.has(name)) }, repaired };
}

function replaceKey(modules: Map<string, GraphModule>, from: string, module: GraphModule): void {
  const entries = [...modules].map(([name, old]): [string, GraphModule] =>
    name === from ? [module.name, module] : [name, old],
  );
  modules.clear();
  entries.forEach(([name, entry]) => modules.set(name, entry));
}

function finalName(name: string, moved: ReadonlyMap<string, string>): string {
  let at = name;
  for (let steps = 0; steps <= moved.size && moved.has(at); steps += 1) at = moved.get(at) ?? at;
  return at;
}
