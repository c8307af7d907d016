import { nameProblem, pathClashes, pathProblem } from '../graph/python-names.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { topologicalOrder } from '../graph/topological-order.js';
import { twice } from '../graph/twice.js';

/** The layout of one module. */
export interface ModuleLayout {
  folder: string;
  files: { path: string; description: string; features: string[]; after: string[] }[];
}

/** The graph with a module laid out as proposed; whether that holds is for `graphProblems` and {@link layoutProblems}. */
export function layOut(graph: PlanningGraph, module: string, layout: ModuleLayout): PlanningGraph {
  const fileOf = new Map(layout.files.flatMap(({ path, features }) => features.map((id) => [id, path] as const)));
  return {
    ...graph,
    modules: graph.modules.map((one) => (one.name === module ? { ...one, folder: layout.folder } : one)),
    files: [
      ...graph.files.filter((file) => file.module !== module),
      ...layout.files.map(({ path, description, after }) => ({ path, module, description, after })),
    ],
    features: graph.features.map((feature) =>
      feature.module === module ? { ...feature, file: fileOf.get(feature.id) ?? null } : feature,
    ),
  };
}

/** What is wrong with the layout of one module, whatever the others are like yet. */
export function layoutProblems(graph: PlanningGraph, module: string, layout: ModuleLayout): string[] {
  const own = new Set(graph.features.flatMap(({ id, module: name }) => (name === module ? [id] : [])));
  const folders = graph.modules.flatMap(({ name, folder }) => (name === module ? [] : (folder ?? [])));
  const paths = layout.files.map(({ path }) => path);
  const afterOf = new Map(layout.files.map(({ path, after }) => [path, after]));
  const placed = layout.files.flatMap(({ features }) => features);
  const isPlaced = new Set(placed);
  const bad = nameProblem(layout.folder);
  const order = topologicalOrder(paths, (path) => afterOf.get(path) ?? []);
  return [
    ...(bad === undefined ? [] : [`the folder ${JSON.stringify(layout.folder)} ${bad}`]),
    ...(folders.some((folder) => folder.toLowerCase() === layout.folder.toLowerCase())
      ? [`the folder ${layout.folder} belongs to another module`]
      : []),
    ...layout.files.flatMap(({ path, after }) => {
      const problem = pathProblem(path);
      return [
        ...(problem === undefined ? [] : [`the path ${JSON.stringify(path.slice(0, 150))} ${problem}`]),
        ...(path.startsWith(`${layout.folder}/`) ? [] : [`${path} is not in the folder ${layout.folder}/`]),
        ...after.flatMap((other) => (afterOf.has(other) ? [] : [`${path} comes after ${other}, which is not listed`])),
      ];
    }),
    ...twice(paths.map((path) => path.toLowerCase())).map((path) => `the file ${path} is listed twice`),
    ...pathClashes(paths),
    ...twice(placed).map((id) => `feature ${id} is in two files`),
    ...placed.filter((id) => !own.has(id)).map((id) => `feature ${id} does not belong to the module "${module}"`),
    ...[...own].filter((id) => !isPlaced.has(id)).map((id) => `feature ${id} is in no file`),
    ...('cycle' in order ? [`the files come after one another in a cycle: ${order.cycle.join(' → ')}`] : []),
  ];
}

/** A layout that holds, made of one that does not: what is legal stays, all other features go into one more file. */
export function repairLayout(graph: PlanningGraph, module: string, layout: ModuleLayout | null): ModuleLayout {
  const taken = graph.modules.flatMap(({ name, folder }) => (name === module ? [] : (folder ?? [])));
  const folder = freeName(
    layout !== null && nameProblem(layout.folder) === undefined ? layout.folder : slug(module),
    taken,
  );
  const left = new Set(graph.features.flatMap(({ id, module: name }) => (name === module ? [id] : [])));
  const files: ModuleLayout['files'] = [];
  for (const file of layout?.files ?? []) {
    const path = `${folder}/${file.path.split('/').slice(1).join('/')}`;
    const features = [...new Set(file.features)].filter((id) => left.has(id));
    if (pathProblem(path) !== undefined || features.length === 0) continue;
    if (files.some((other) => other.path.toLowerCase() === path.toLowerCase())) continue;
    if (pathClashes([...files.map((other) => other.path), path]).length > 0) continue;
    features.forEach((id) => left.delete(id));
    files.push({ path, description: file.description, features, after: [] });
  }
  if (left.size > 0) {
    const path = `${folder}/${freeName(
      'more',
      files.map((file) => file.path.split('/').at(-1)?.slice(0, -3) ?? ''),
    )}.py`;
    files.push({ path, description: `Further parts of ${module}.`, features: [...left], after: [] });
  }
  return { folder, files };
}

/** A legal Python name made of words. */
export function slug(words: string): string {
  const bare = words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60);
  const name = /^[a-z]/.test(bare) ? bare : `part_${bare}`.replace(/_+$/, '');
  return nameProblem(name) === undefined ? name : `${name}_`;
}

/** The name, or the name with the first number that makes it free, whatever the case of letters. */
export function freeName(name: string, taken: readonly string[]): string {
  const isTaken = (wanted: string): boolean => taken.some((other) => other.toLowerCase() === wanted.toLowerCase());
  if (!isTaken(name)) return name;
  for (let number = 2; ; number += 1) if (!isTaken(`${name}_${number}`)) return `${name}_${number}`;
}
