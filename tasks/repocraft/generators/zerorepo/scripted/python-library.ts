import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One function or class of a library the scripted model knows. */
export interface LibrarySymbol {
  kind: 'function' | 'class';
  name: string;
  module: string;
  /** The part of its module it stands in, from a `# -- section` comment; `main` without one. */
  section: string;
  /** `(text: str) -> list[str]`; of a class its bases: `(NamedTuple)`. */
  signature: string;
  docstring: string;
  /** Lines below the docstring, indented as they stand. */
  body: string;
}

/** One module: what it imports, its private constants, its symbols in order. */
export interface LibraryModule {
  name: string;
  summary: string;
  imports: { statement: string; names: string[] }[];
  constants: { name: string; source: string }[];
  symbols: LibrarySymbol[];
}

/** A small, well-kept Python package as the scripted model knows it. */
export interface PythonLibrary {
  modules: LibraryModule[];
  /** By its name, or by that of its leaf. */
  find(name: string): LibrarySymbol | undefined;
  /** Classes for others to share: records without methods, three at most; more of them are features of their own. */
  shared: readonly LibrarySymbol[];
  moduleOf(symbol: LibrarySymbol): LibraryModule;
  /** Names of other functions and classes of the library a symbol uses. */
  uses(symbol: LibrarySymbol): LibrarySymbol[];
}

/**
 * Reads the one package below `<folder>/src`. It takes the style of this repository's own library for granted (one-line
 * signatures, docstrings everywhere) and is no parser of Python in general.
 */
export async function readPythonLibrary(folder: string): Promise<PythonLibrary> {
  const source = join(folder, 'src');
  const [name] = (await readdir(source)).filter((entry) => !entry.includes('.')).sort();
  if (name === undefined) throw new TypeError(`${source} holds no package`);
  const files = (await readdir(join(source, name))).filter((file) => file.endsWith('.py') && file !== '__init__.py');
  const texts = files
    .sort()
    .map(async (file) => moduleOfText(file.slice(0, -3), await readFile(join(source, name, file), 'utf8')));
  return libraryOf(inOrder(await Promise.all(texts), name));
}

/** As many base classes as a plan may have. */
const MOST_SHARED = 3;

function libraryOf(modules: LibraryModule[]): PythonLibrary {
  const all = new Map(modules.flatMap((module) => module.symbols).map((symbol) => [symbol.name, symbol]));
  const records = [...all.values()].filter(({ kind, body }) => kind === 'class' && !/^ {4}def /m.test(body));
  // A leaf of the tree is called in lower case, whatever it provides.
  const byLeaf = new Map([...all.values()].map((symbol) => [symbol.name.toLowerCase(), symbol]));
  return {
    modules,
    find: (name) => all.get(name) ?? byLeaf.get(name),
    shared: records.length > MOST_SHARED ? [] : records,
    moduleOf: (symbol) => modules.find(({ name }) => name === symbol.module)!,
    uses: (symbol) => {
      const words = identifiers(`${symbol.signature}\n${symbol.body}`);
      return [...all.values()].filter(({ name }) => name !== symbol.name && words.has(name));
    },
  };
}

/** Modules after those they import. */
function inOrder(modules: LibraryModule[], packageName: string): LibraryModule[] {
  const needs = (module: LibraryModule): string[] =>
    module.imports.flatMap(({ statement }) => {
      const found = new RegExp(`^from ${packageName}\\.(\\w+) import`).exec(statement)?.[1];
      return found === undefined ? [] : [found];
    });
  const ordered: LibraryModule[] = [];
  while (ordered.length < modules.length) {
    const done = new Set(ordered.map(({ name }) => name));
    const next = modules.find((module) => !done.has(module.name) && needs(module).every((need) => done.has(need)));
    if (next === undefined) throw new TypeError(`the modules of ${packageName} import one another in a circle`);
    ordered.push(next);
  }
  return ordered;
}

function moduleOfText(name: string, text: string): LibraryModule {
  const module: LibraryModule = { name, summary: '', imports: [], constants: [], symbols: [] };
  let section = 'main';
  for (const block of topLevelBlocks(text)) {
    if (block.startsWith('"""')) module.summary = block.replace(/"""/g, '').trim();
    else if (block.startsWith('# -- ')) section = block.slice(5).trim();
    else if (/^(from|import) /.test(block)) module.imports.push({ statement: block, names: importedNames(block) });
    else if (/^(def|class) /.test(block)) module.symbols.push(symbolOf(block, name, section));
    else module.constants.push({ name: block.split(/\W/, 1)[0] ?? '', source: block });
  }
  return module;
}

/** Statements at the left margin with everything indented below them. */
function topLevelBlocks(text: string): string[] {
  const blocks: string[] = [];
  for (const line of text.split('\n')) {
    const goesOn = line === '' || /^[\s)\]}]/.test(line);
    if (goesOn && blocks.length > 0) blocks[blocks.length - 1] += `\n${line}`;
    else blocks.push(line);
  }
  return blocks.map((block) => block.trimEnd()).filter((block) => block !== '');
}

function importedNames(statement: string): string[] {
  const list = statement.replace(/^.*?import\s+/s, '').replace(/[()]/g, '');
  return list
    .split(',')
    .map(
      (part) =>
        part
          .trim()
          .split(/\s+as\s+/)
          .at(-1) ?? '',
    )
    .filter((part) => part !== '');
}

function symbolOf(block: string, module: string, section: string): LibrarySymbol {
  const [, keyword, name, signature, rest] = /^(def|class) (\w+)(.*?):\n(.*)$/s.exec(block) ?? [];
  const [, raw, doc, body] = /^ {4}(r?)"""(.*?)"""\n*(.*)$/s.exec(rest ?? '') ?? [];
  if (name === undefined || doc === undefined || (raw === '' && doc.includes('\\'))) {
    throw new TypeError(`${module}.py: ${block.split('\n', 1)[0] ?? ''} has no plain docstring`);
  }
  return {
    kind: keyword === 'class' ? 'class' : 'function',
    ...{ name, module, section, signature: signature ?? '' },
    docstring: doc.replace(/\n {4}/g, '\n').trim(),
    body: body ?? '',
  };
}

/** Every name a piece of Python mentions. */
export const identifiers = (source: string): Set<string> => new Set(source.match(/[A-Za-z_]\w*/g) ?? []);
