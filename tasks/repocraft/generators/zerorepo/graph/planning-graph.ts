/** A leaf of the feature tree: one capability. */
export interface Feature {
  /** `f1`, `f2`, … in the order of acceptance; never given twice. */
  id: string;
  /** From wide to narrow; the last name is the leaf. */
  path: string[];
  description: string;
  /** Name of its module; null until it is assigned. */
  module: string | null;
  /** Path of its file; null until the module is laid out. */
  file: string | null;
}

/** A cohesive subgraph of features with a folder of its own. */
export interface GraphModule {
  name: string;
  description: string;
  /** Inside the package; null until the module is laid out. */
  folder: string | null;
}

/** Typed data that one module produces and another uses. */
export interface Flow {
  source: string;
  target: string;
  id: string;
  type: string;
  transformation: string;
}

/** A Python file. The order of the list is the order of the files. */
interface GraphFile {
  /** Relative to the package: `tokenize/words.py`. */
  path: string;
  module: string;
  description: string;
  /** Files of the same module it builds on. */
  after: string[];
}

/** A method of a class as it is designed. */
export interface MethodDesign {
  name: string;
  /** With parentheses and `self`: `(self, text: str) -> int`. */
  signature: string;
  docstring: string;
}

/** A function or class as it is designed: what a unit implements. */
export interface InterfaceDesign {
  /** `<file>::<name>`. */
  id: string;
  file: string;
  kind: 'function' | 'class';
  name: string;
  /** Of a function. Of a class empty: its methods say it. */
  signature: string;
  docstring: string;
  methods: MethodDesign[];
  /** Features it provides; empty only for shared base classes. */
  features: string[];
  /** Interfaces it calls. */
  invokes: string[];
  /** Classes it derives from. */
  inherits: string[];
}

/**
 * The Repository Planning Graph. Nodes are functional (features under modules) and structural (folders, files,
 * interfaces) at once; edges are hierarchy, data flow between modules, file order, and inherits and invokes between
 * interfaces.
 */
export interface PlanningGraph {
  format: 'durabench.planning-graph';
  version: 1;
  title: string;
  purpose: string;
  /** Import name of the package. */
  package: string;
  features: Feature[];
  modules: GraphModule[];
  flows: Flow[];
  files: GraphFile[];
  interfaces: InterfaceDesign[];
}

/** How far a graph is planned; each stage holds what the ones before it hold. */
export const GRAPH_STAGES = ['features', 'modules', 'files', 'flows', 'interfaces'] as const;
export type GraphStage = (typeof GRAPH_STAGES)[number];

/** File, relative to a module's folder, that holds shared base classes. */
export const BASE_FILE = 'base.py';

/** More are no modules any more; what steps hand to one another about each of them has to fit into 4 KiB. */
export const MOST_MODULES = 40;

/** A graph with nothing in it. */
export function emptyGraph(about: Pick<PlanningGraph, 'title' | 'purpose' | 'package'>): PlanningGraph {
  const { title, purpose, package: name } = about;
  return {
    ...{ format: 'durabench.planning-graph', version: 1, title, purpose, package: name },
    ...{ features: [], modules: [], flows: [], files: [], interfaces: [] },
  };
}

/** Identity of an interface. */
export const interfaceId = (file: string, name: string): string => `${file}::${name}`;

/** Dotted module of a file: `textkit.tokenize.words`. */
export const moduleOfFile = (graph: Pick<PlanningGraph, 'package'>, file: string): string =>
  [graph.package, ...file.replace(/\.py$/, '').split('/')].join('.');
