import { moduleOfFile, type InterfaceDesign, type PlanningGraph } from './planning-graph.js';
import { needsOf, orderedDesigns } from './unit-order.js';

/** What a unit leaves: a patch to the symbols it owns. */
export interface UnitProduct {
  /** Import statements its file needs. */
  imports: string[];
  /** Private top-level statements beside it; empty where there are none. */
  helpers: string;
  /** The whole function or class. */
  source: string;
}

/** A file as parts, so that a patch can still be checked before it is put in (`../python/unit.py` joins alike). */
export interface FileParts {
  /** Relative to the repository. */
  path: string;
  docstring: string;
  imports: string[];
  blocks: { id: string; text: string }[];
}

/** Text that stands for a unit which is not there. */
const NOT_THERE = {
  open: 'is not written yet',
  failed: 'could not be generated',
  blocked: 'was not generated, because what it needs is missing',
};

/** Why a unit has no code. */
export type Missing = keyof typeof NOT_THERE;

/**
 * A file of the graph: the base with the patches of its units in topological order. A unit without a product keeps its
 * place, marked, and raises when it is called.
 */
export function fileParts(
  graph: PlanningGraph,
  path: string,
  products: ReadonlyMap<string, UnitProduct>,
  missing: ReadonlyMap<string, Missing> = new Map(),
): FileParts {
  const file = graph.files.find((one) => one.path === path);
  const designs = orderedDesigns(graph).filter((one) => one.file === path);
  const imports = designs.flatMap((one) => products.get(one.id)?.imports ?? baseImports(graph, one));
  return {
    path: `${graph.package}/${path}`,
    docstring: file?.description ?? '',
    imports: sortedImports(imports),
    blocks: designs.map((one) => {
      const product = products.get(one.id);
      const text = product === undefined ? placeholderOf(one, missing.get(one.id) ?? 'open') : blockOf(product);
      return { id: one.id, text };
    }),
  };
}

/** The text of a file made of its parts. */
export function joinParts({ docstring, imports, blocks }: FileParts): string {
  const head = [quoted(docstring, ''), 'from __future__ import annotations', ...imports].join('\n');
  return `${[head, ...blocks.map(({ text }) => text)].join('\n\n\n')}\n`;
}

/** A unit's own text in its file. */
const blockOf = ({ helpers, source }: UnitProduct): string =>
  [helpers, source]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n\n');

/** Import statements in order, each once; `__future__` is in every file anyway. */
function sortedImports(imports: readonly string[]): string[] {
  return [...new Set(imports.map((line) => line.trim()))]
    .filter((line) => line !== '' && !line.includes('__future__'))
    .sort();
}

/** A function or class with its design and a body that raises. */
export function placeholderOf(design: InterfaceDesign, missing: Missing): string {
  const raise = `raise NotImplementedError("${design.name} ${NOT_THERE[missing]}")  # durabench: ${missing}`;
  if (design.kind === 'function') {
    return [`def ${design.name}${design.signature}:`, `    ${quoted(design.docstring, '    ')}`, `    ${raise}`].join(
      '\n',
    );
  }
  const bases = design.inherits.map((id) => id.split('::')[1] ?? '').join(', ');
  const methods = design.methods.map(({ name, signature, docstring }) =>
    [`    def ${name}${signature}:`, `        ${quoted(docstring, '        ')}`, `        ${raise}`].join('\n'),
  );
  const body = methods.length > 0 ? methods : [`    def __init__(self, *args, **options):`, `        ${raise}`];
  const head = `class ${design.name}${bases === '' ? '' : `(${bases})`}:`;
  const doc = `    ${quoted(design.docstring, '    ')}`;
  return methods.length > 0 ? [head, doc, '', methods.join('\n\n')].join('\n') : [head, doc, '', ...body].join('\n');
}

/** `from textkit.tokenize.words import split_words`. */
export const importOf = (graph: PlanningGraph, { file, name }: Pick<InterfaceDesign, 'file' | 'name'>): string =>
  `from ${moduleOfFile(graph, file)} import ${name}`;

/** Every `__init__.py` of the package. */
export function packageFiles(graph: PlanningGraph): FileParts[] {
  const folders = graph.files.flatMap(({ path }) =>
    path
      .split('/')
      .slice(0, -1)
      .map((_, at, parts) => parts.slice(0, at + 1).join('/')),
  );
  const all = ['', ...new Set(folders)].sort();
  return all.map((folder) => {
    const module = graph.modules.find((one) => one.folder === folder);
    const docstring = folder === '' ? `${graph.title}.` : (module?.description ?? `Parts of ${graph.title}.`);
    return {
      path: [graph.package, folder, '__init__.py'].filter((part) => part !== '').join('/'),
      docstring,
      imports: [],
      blocks: [],
    };
  });
}

/** Everything a unit needs, through others too, itself left out. */
export function needsClosure(graph: PlanningGraph, ids: readonly string[]): string[] {
  const designs = new Map(graph.interfaces.map((one) => [one.id, one]));
  const found = new Set<string>();
  const visit = (id: string): void => {
    const design = designs.get(id);
    for (const need of design ? needsOf(design) : []) {
      if (found.has(need)) continue;
      found.add(need);
      visit(need);
    }
  };
  ids.forEach(visit);
  ids.forEach((id) => found.delete(id));
  return [...found].sort();
}

function baseImports(graph: PlanningGraph, design: InterfaceDesign): string[] {
  const bases = graph.interfaces.filter(({ id, file }) => design.inherits.includes(id) && file !== design.file);
  return bases.map((one) => importOf(graph, one));
}

function quoted(text: string, indent: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\0', '');
  const lines = escaped
    .split('\n')
    .map((line, index) => (index === 0 || line.trim() === '' ? line.trim() : `${indent}${line}`));
  return `"""${lines.join('\n')}"""`;
}
