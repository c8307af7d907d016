import { nameProblem, packageProblem, pathClashes, pathProblem } from './python-names.js';
import { BASE_FILE, interfaceId, MOST_MODULES, type PlanningGraph } from './planning-graph.js';
import { topologicalOrder } from './topological-order.js';
import { twice } from './twice.js';
import { moduleOrder, unitOrder, upstreamModules } from './unit-order.js';

/** Sentences on what is wrong with a graph, each of which names the place; empty when the rule holds. */
export type Check = (graph: PlanningGraph) => string[];

/** What the first check that finds something says: the sentences of those after it would be noise. */
export function firstProblems(graph: PlanningGraph, checks: readonly Check[]): string[] {
  for (const check of checks) {
    const problems = check(graph);
    if (problems.length > 0) return problems;
  }
  return [];
}

/** The name of the package is legal. */
export function packageChecks(graph: PlanningGraph): string[] {
  const problem = packageProblem(graph.package);
  return problem === undefined ? [] : [`the package name "${graph.package}" ${problem}`];
}

/** Leaves are there once, and each has an area. */
export function featureChecks({ features }: PlanningGraph): string[] {
  const paths = features.map(({ path }) => path.join(' / ').toLowerCase());
  return [
    ...twice(features.map(({ id }) => id)).map((id) => `the feature id ${id} is given twice`),
    ...features.flatMap(({ id, path }) =>
      path.length < 2 ? [`feature ${id} has no area: its path needs at least two names`] : [],
    ),
    ...twice(paths).map((path) => `the feature "${path}" is there twice`),
  ];
}

/** Every leaf is in a module, and no module is empty. */
export function moduleChecks(graph: PlanningGraph): string[] {
  const { features, modules } = graph;
  const used = new Set(features.map(({ module }) => module));
  return [
    ...sortedChecks(graph),
    ...features.flatMap(({ id, module }) => (module === null ? [`feature ${id} is in no module`] : [])),
    ...modules.flatMap(({ name }) => (used.has(name) ? [] : [`the module "${name}" has no feature`])),
  ];
}

/** Of leaves that are sorted already: their modules are there, each once. */
export function sortedChecks({ features, modules }: PlanningGraph): string[] {
  const names = new Set(modules.map(({ name }) => name));
  return [
    ...(modules.length > MOST_MODULES ? [`there are ${modules.length} modules; at most ${MOST_MODULES}`] : []),
    ...twice(modules.map(({ name }) => name)).map((name) => `the module "${name}" is there twice`),
    ...features.flatMap(({ id, module }) =>
      module !== null && !names.has(module) ? [`feature ${id} is in the module "${module}", which does not exist`] : [],
    ),
  ];
}

/** Of modules whose leaves are all in files; the others are laid out anew. */
export function laidOutChecks(graph: PlanningGraph): string[] {
  const open = new Set(graph.features.flatMap(({ module, file }) => (file === null ? (module ?? []) : [])));
  const isLaidOut = (name: string): boolean =>
    !open.has(name) && graph.modules.every((one) => one.name !== name || one.folder !== null);
  const part = {
    ...graph,
    modules: graph.modules.filter(({ name }) => isLaidOut(name)),
    features: graph.features.filter(({ module }) => module !== null && isLaidOut(module)),
    files: graph.files.filter(({ module }) => isLaidOut(module)),
  };
  return firstProblems(part, [fileChecks, fileOrderChecks]);
}

/** Folders and files are legal, and every leaf is in a file of its module. */
export function fileChecks(graph: PlanningGraph): string[] {
  const { features, modules, files } = graph;
  const moduleOf = new Map(files.map(({ path, module }) => [path, module]));
  const folderOf = new Map(modules.map(({ name, folder }) => [name, folder]));
  const holding = new Set(features.map(({ file }) => file));
  const folders = modules.flatMap(({ folder }) => folder ?? []);
  return [
    ...modules.flatMap(({ name, folder }) => {
      const problem = folder === null ? 'is missing' : nameProblem(folder);
      return problem === undefined ? [] : [`the folder ${folder ?? ''} of the module "${name}" ${problem}`];
    }),
    ...twice(folders.map((folder) => folder.toLowerCase())).map((folder) => `two modules have the folder ${folder}`),
    ...twice(files.map(({ path }) => path.toLowerCase())).map((path) => `the file ${path} is there twice`),
    ...files.flatMap(({ path, module, after }) => {
      const folder = folderOf.get(module);
      if (folder === undefined) return [`the file ${path} is in the module "${module}", which does not exist`];
      const bad = pathProblem(path);
      if (bad !== undefined) return [`the file path ${JSON.stringify(path.slice(0, 150))} ${bad}`];
      return [
        ...(path.startsWith(`${folder}/`) ? [] : [`the file ${path} is not in the folder ${folder}/ of its module`]),
        ...after.flatMap((other) =>
          moduleOf.get(other) === module ? [] : [`${path} comes after ${other}, which is no file of its module`],
        ),
        ...(holding.has(path) || path === `${folder}/${BASE_FILE}` ? [] : [`the file ${path} has no feature`]),
      ];
    }),
    ...pathClashes(files.map(({ path }) => path)),
    ...features.flatMap(({ id, file, module }) => {
      if (file === null) return [`feature ${id} is in no file`];
      if (!moduleOf.has(file)) return [`feature ${id} is in the file ${file}, which does not exist`];
      return moduleOf.get(file) === module ? [] : [`feature ${id} is in ${file}, a file of another module`];
    }),
  ];
}

/** Files have an order. */
export function fileOrderChecks({ files }: PlanningGraph): string[] {
  const after = new Map(files.map((file) => [file.path, file.after]));
  const order = topologicalOrder([...after.keys()], (path) => after.get(path) ?? []);
  return 'cycle' in order ? [`the files come after one another in a cycle: ${order.cycle.join(' → ')}`] : [];
}

/** Data flows between modules there are, without a cycle, and past none. */
export function flowChecks(graph: PlanningGraph): string[] {
  const { modules, flows } = graph;
  const names = new Set(modules.map(({ name }) => name));
  const used = new Set(flows.flatMap(({ source, target }) => [source, target]));
  const ends = flows.flatMap(({ id, source, target }) => [
    ...[source, target].flatMap((name) =>
      names.has(name) ? [] : [`the flow "${id}" names the module "${name}", which does not exist`],
    ),
    ...(source === target ? [`the flow "${id}" leads from "${source}" to itself`] : []),
  ]);
  if (ends.length > 0) return ends;
  const unused = modules.length < 2 ? [] : modules.filter(({ name }) => !used.has(name));
  const order = moduleOrder(graph);
  return [
    ...('cycle' in order ? [`the data flow has a cycle: ${order.cycle.join(' → ')}`] : []),
    ...unused.map(({ name }) => `the module "${name}" takes part in no data flow`),
  ];
}

/** Interfaces are well formed, and what they use is there. */
export function interfaceChecks(graph: PlanningGraph): string[] {
  const { features, files, interfaces } = graph;
  const fileOf = new Map(features.map(({ id, file }) => [id, file]));
  const paths = new Set(files.map(({ path }) => path));
  const own = new Map(interfaces.map((one) => [one.id, one]));
  return [
    ...twice(interfaces.map(({ id }) => id)).map((id) => `the interface ${id} is there twice`),
    ...interfaces.flatMap((one) => [
      ...shapeProblems(one),
      ...(paths.has(one.file) ? [] : [`${one.id} is in a file that does not exist`]),
      ...(one.features.length > 0 || one.file.endsWith(`/${BASE_FILE}`) ? [] : [`${one.id} provides no feature`]),
      ...one.features.flatMap((id) =>
        fileOf.get(id) === one.file ? [] : [`${one.id} provides ${id}, which is not a feature of its file`],
      ),
      ...[...one.invokes, ...one.inherits].flatMap((id) =>
        own.has(id) && id !== one.id
          ? []
          : [`${one.id} uses ${id}, which ${id === one.id ? 'is itself' : 'does not exist'}`],
      ),
      ...one.inherits.flatMap((id) =>
        own.get(id)?.kind === 'function' ? [`${one.id} derives from ${id}, which is a function`] : [],
      ),
    ]),
  ];
}

/** Every leaf is provided. */
export function providedChecks(graph: PlanningGraph): string[] {
  return unprovided(graph).map(({ id }) => `feature ${id} is provided by no interface`);
}

/** A file with a leaf that nothing provides is designed anew as a whole: nothing that stays may use what is in it. */
export function redesignChecks(graph: PlanningGraph): string[] {
  const reason = new Map(unprovided(graph).map(({ id, file }) => [file ?? '', id]));
  const replaced = new Map(
    graph.interfaces.flatMap((one) =>
      reason.has(one.file) && one.features.length > 0 ? [[one.id, one.file] as const] : [],
    ),
  );
  return graph.interfaces.flatMap(({ id, invokes, inherits }) =>
    [...invokes, ...inherits].flatMap((used) => {
      const file = replaced.get(used);
      if (file === undefined || replaced.has(id)) return [];
      return [
        `${id} uses ${used}, but ${file} is to be designed again, because feature ${reason.get(file) ?? ''} is provided by no interface`,
      ];
    }),
  );
}

function unprovided({ features, interfaces }: PlanningGraph): PlanningGraph['features'] {
  const provided = new Set(interfaces.flatMap((one) => one.features));
  return features.filter(({ id }) => !provided.has(id));
}

function shapeProblems(one: PlanningGraph['interfaces'][number]): string[] {
  const bad = nameProblem(one.name);
  const methods = one.methods.map(({ name }) => name);
  return [
    ...(one.id === interfaceId(one.file, one.name)
      ? []
      : [`${one.id} should have the id ${interfaceId(one.file, one.name)}`]),
    ...(bad === undefined ? [] : [`${one.id}: the name ${bad}`]),
    ...(one.kind === 'class' || one.methods.length === 0 ? [] : [`${one.id} is a function and has methods`]),
    ...(one.kind === 'class' || /^\(.*\)/s.test(one.signature) ? [] : [`${one.id}: the signature has no parentheses`]),
    ...twice(methods).map((name) => `${one.id} has the method ${name} twice`),
    ...methods.flatMap((name) => {
      const problem = /^__[a-z]+__$/.test(name) ? undefined : nameProblem(name);
      return problem === undefined ? [] : [`${one.id}: the method name ${JSON.stringify(name)} ${problem}`];
    }),
  ];
}

/** Interfaces use what is upstream of their module, or inside it; and the whole has an order. */
export function orderChecks(graph: PlanningGraph): string[] {
  const moduleOf = new Map(graph.files.map(({ path, module }) => [path, module]));
  const fileOf = new Map(graph.interfaces.map(({ id, file }) => [id, file]));
  const upstream = new Map(graph.modules.map(({ name }) => [name, upstreamModules(graph, name)]));
  const against = graph.interfaces.flatMap(({ id, file, invokes, inherits }) =>
    [...invokes, ...inherits].flatMap((used) => {
      const from = moduleOf.get(fileOf.get(used) ?? '') ?? '';
      const to = moduleOf.get(file) ?? '';
      return from === to || upstream.get(to)?.has(from) === true
        ? []
        : [`${id} uses ${used}, but no data flows from "${from}" to "${to}"`];
    }),
  );
  if (against.length > 0) return against;
  const order = unitOrder(graph);
  return 'cycle' in order ? [`the interfaces have a cycle: ${order.cycle.join(' → ')}`] : [];
}
