import { freeName, slug } from './grow-files.js';
import { nameProblem } from '../graph/python-names.js';
import {
  BASE_FILE,
  interfaceId,
  type InterfaceDesign,
  type MethodDesign,
  type PlanningGraph,
} from '../graph/planning-graph.js';
import { topologicalOrder } from '../graph/topological-order.js';
import { laterThan, upstreamModules } from '../graph/unit-order.js';

/** An interface as it is proposed for a file. */
export type ProposedInterface = Omit<InterfaceDesign, 'id' | 'file'>;

/** A shared data structure as it is proposed. */
export interface ProposedClass {
  name: string;
  module: string;
  docstring: string;
  methods: MethodDesign[];
}

/** What is wrong with the base classes proposed. */
export function baseClassProblems(graph: PlanningGraph, classes: readonly ProposedClass[]): string[] {
  const names = graph.modules.map(({ name }) => name);
  return classes.flatMap(({ name, module, methods }, index) => {
    const bad = nameProblem(name);
    return [
      ...(bad === undefined ? [] : [`the class name ${JSON.stringify(name)} ${bad}`]),
      ...(names.includes(module) ? [] : [`the class ${name} is in the module "${module}", which does not exist`]),
      ...(classes.findIndex((other) => other.name === name) === index ? [] : [`the class ${name} is there twice`]),
      ...methodProblems(name, methods),
    ];
  });
}

/** Puts base classes into `base.py` of their modules, which every other file of the module comes after. */
export function addBaseClasses(graph: PlanningGraph, classes: readonly ProposedClass[]): PlanningGraph {
  const modules = new Set(classes.map(({ module }) => module));
  const baseOf = (module: string): string =>
    `${graph.modules.find(({ name }) => name === module)?.folder ?? ''}/${BASE_FILE}`;
  const old = graph.files.map((file) => {
    const base = baseOf(file.module);
    if (!modules.has(file.module) || file.path === base) return file;
    return { ...file, after: [...new Set([base, ...file.after])] };
  });
  const added = [...modules]
    .filter((module) => !graph.files.some(({ path }) => path === baseOf(module)))
    .map((module) => ({ path: baseOf(module), module, description: 'Shared data structures.', after: [] }));
  const interfaces = classes.map(({ name, module, docstring, methods }): InterfaceDesign => {
    const file = baseOf(module);
    const design = { file, kind: 'class' as const, name, signature: '', docstring, methods };
    return { id: interfaceId(file, name), ...design, features: [], invokes: [], inherits: [] };
  });
  return { ...graph, files: [...added, ...old], interfaces: [...graph.interfaces, ...interfaces] };
}

/**
 * Interfaces that a file's own may use: those in its module or upstream of it that are designed, and do not build on it
 * (an edited graph may have such: only there a file is designed when later ones are).
 */
export function availableTo(graph: PlanningGraph, path: string): InterfaceDesign[] {
  const module = graph.files.find((file) => file.path === path)?.module ?? '';
  const upstream = upstreamModules(graph, module);
  const moduleOf = new Map(graph.files.map((file) => [file.path, file.module]));
  const later = laterThan(graph, path);
  const open = openFiles(graph);
  return graph.interfaces.filter(({ id, file, features }) => {
    const other = moduleOf.get(file) ?? '';
    const isDesigned = !open.has(file) || features.length === 0;
    return file !== path && (other === module || upstream.has(other)) && isDesigned && !later.has(id);
  });
}

/** Files with a leaf that nothing provides yet: they are designed, or designed again, as a whole. */
export function openFiles({ features, interfaces }: Pick<PlanningGraph, 'features' | 'interfaces'>): Set<string> {
  const provided = new Set(interfaces.flatMap((one) => one.features));
  return new Set(features.flatMap(({ id, file }) => (provided.has(id) ? [] : (file ?? []))));
}

/** What is wrong with the interfaces proposed for a file. */
export function interfaceProblems(
  graph: PlanningGraph,
  path: string,
  proposed: readonly ProposedInterface[],
): string[] {
  const own = new Set(graph.features.flatMap(({ id, file }) => (file === path ? [id] : [])));
  const ids = proposed.map(({ name }) => interfaceId(path, name));
  const usable = new Map(
    [...availableTo(graph, path), ...proposed.map((one) => ({ ...one, id: interfaceId(path, one.name) }))].map(
      (one) => [one.id, one.kind],
    ),
  );
  const placeOf = new Map(ids.map((id, index) => [id, index] as const).reverse());
  const order = topologicalOrder(ids, (id) => usesOf(proposed[placeOf.get(id) ?? -1]));
  const provided = new Set(proposed.flatMap(({ features }) => features));
  return [
    ...proposed.flatMap((one, index) => {
      const bad = nameProblem(one.name);
      return [
        ...(bad === undefined ? [] : [`the name ${JSON.stringify(one.name)} ${bad}`]),
        ...(placeOf.get(ids[index] ?? '') === index ? [] : [`${one.name} is there twice`]),
        ...(one.kind === 'function' && !/^\(.*\)/s.test(one.signature)
          ? [`${one.name}: the signature has to look like (text: str) -> int`]
          : []),
        ...(one.kind === 'function' && one.methods.length > 0 ? [`${one.name} is a function and has methods`] : []),
        ...methodProblems(one.name, one.methods),
        ...one.features.flatMap((id) => (own.has(id) ? [] : [`${one.name} provides ${id}, which is not in this file`])),
        ...usesOf(one).flatMap((id) =>
          usable.has(id) && id !== ids[index] ? [] : [`${one.name} uses ${id}, which is not available`],
        ),
        ...one.inherits.flatMap((id) =>
          usable.get(id) === 'function' ? [`${one.name} derives from ${id}, which is a function`] : [],
        ),
      ];
    }),
    ...[...own].flatMap((id) => (provided.has(id) ? [] : [`feature ${id} is provided by no interface`])),
    ...('cycle' in order ? [`the interfaces use one another in a cycle: ${order.cycle.join(' → ')}`] : []),
  ];
}

/** The graph with the interfaces of one file as proposed; shared base classes in it stay. */
export function designFile(graph: PlanningGraph, path: string, proposed: readonly ProposedInterface[]): PlanningGraph {
  const designed = proposed.map((one): InterfaceDesign => {
    const { kind, name, docstring, features } = one;
    const inherits = new Set(one.inherits);
    const signature = kind === 'class' ? '' : one.signature.trim();
    const invokes = one.invokes.filter((id) => !inherits.has(id));
    const design = { id: interfaceId(path, name), file: path, kind, name, signature, docstring };
    return {
      ...design,
      methods: one.methods,
      features,
      invokes: [...new Set(invokes)],
      inherits: [...inherits],
    };
  });
  const others = graph.interfaces.filter((one) => one.file !== path || one.features.length === 0);
  return { ...graph, interfaces: [...others, ...designed] };
}

/** Interfaces that hold, made of ones that do not: what is legal stays, features left over get a function each. */
export function repairInterfaces(
  graph: PlanningGraph,
  path: string,
  proposed: readonly ProposedInterface[],
): ProposedInterface[] {
  const left = new Map(graph.features.flatMap((one) => (one.file === path ? [[one.id, one] as const] : [])));
  const kept: ProposedInterface[] = [];
  const usable = new Map(availableTo(graph, path).map(({ id, kind }) => [id, kind]));
  const taken = baseClassNames(graph, path);
  for (const one of proposed) {
    const features = one.features.filter((id) => left.has(id));
    const legal = { ...one, features, methods: one.kind === 'class' ? one.methods : [] };
    const isLegal = nameProblem(one.name) === undefined && methodProblems(one.name, legal.methods).length === 0;
    const isShaped = one.kind === 'class' || /^\(.*\)/s.test(one.signature);
    const isTaken = taken.includes(one.name) || kept.some(({ name }) => name === one.name);
    if (features.length === 0 || !isLegal || !isShaped || isTaken) continue;
    features.forEach((id) => left.delete(id));
    const invokes = one.invokes.filter((id) => usable.has(id));
    const inherits = one.inherits.filter((id) => usable.get(id) === 'class');
    kept.push({ ...legal, invokes, inherits });
    usable.set(interfaceId(path, one.name), one.kind);
  }
  for (const feature of left.values()) {
    const name = freeName(slug(feature.path.at(-1) ?? feature.id), [...taken, ...kept.map((one) => one.name)]);
    const rule = { kind: 'function' as const, name, signature: '(*args: object, **options: object) -> object' };
    kept.push({
      ...rule,
      docstring: feature.description,
      methods: [],
      features: [feature.id],
      invokes: [],
      inherits: [],
    });
  }
  return kept;
}

/** Names of the shared base classes in a file. */
export const baseClassNames = (graph: PlanningGraph, path: string): string[] =>
  graph.interfaces.filter((one) => one.file === path && one.features.length === 0).map(({ name }) => name);

const usesOf = (one: Pick<ProposedInterface, 'invokes' | 'inherits'> | undefined): string[] =>
  one === undefined ? [] : [...one.invokes, ...one.inherits];

function methodProblems(owner: string, methods: readonly MethodDesign[]): string[] {
  return methods.flatMap(({ name, signature }, index) => {
    const bad = /^__[a-z]+__$/.test(name) ? undefined : nameProblem(name);
    return [
      ...(bad === undefined ? [] : [`${owner}: the method name ${JSON.stringify(name)} ${bad}`]),
      ...(methods.findIndex((other) => other.name === name) === index ? [] : [`${owner} has the method ${name} twice`]),
      ...(/^\(.*\)/s.test(signature)
        ? []
        : [`${owner}.${name}: the signature has to look like (self, text: str) -> int`]),
    ];
  });
}
