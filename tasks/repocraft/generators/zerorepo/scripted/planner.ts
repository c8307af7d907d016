import { z } from 'zod';
import type { LibraryModule, LibrarySymbol, PythonLibrary } from './python-library.js';
import { featureSchema, type Feature } from './question.js';

const pathsSchema = z.array(z.array(z.string()));

/** Features proposed at once: so few that the tree grows over several iterations. */
const AT_ONCE = 15;

/** Answers the planning prompts from what the prompt says and what the library has. */
export interface Planner {
  /** `forgets`: symbols that do not come to its mind. */
  propose(input: unknown, forgets?: (name: string) => boolean): object;
  check(input: unknown): object;
  refactor(input: unknown): object;
  layout(input: unknown): object;
  dataFlow(input: unknown): object;
}

/** A planner who knows one library. */
export function createPlanner(library: PythonLibrary): Planner {
  const wanted = library.modules.flatMap(({ symbols }) => symbols.filter((symbol) => !library.shared.includes(symbol)));

  return {
    propose(input, forgets = () => false) {
      const { features, scale } = z.object({ features: pathsSchema, scale: z.string() }).parse(input);
      const [iteration, limit] = numbersOf(/Round (\d+).* about (\d+) leaves/.exec(scale));
      const planned = new Set(features.map(leafName));
      const missing = wanted
        .filter(({ name }) => !planned.has(leafName([name])) && !forgets(name))
        .slice(0, Math.min(limit, AT_ONCE));
      const proposed = missing.map((symbol) => ({
        path: pathOf(symbol),
        description: firstSentence(symbol.docstring),
      }));
      // What planners do: once something that needs a service nobody has. The check refuses it.
      const wish = {
        path: ['Formatting', 'services', 'translate text'],
        description: 'Translate a text with an online service.',
      };
      return { features: iteration === 2 && proposed.length < limit ? [...proposed, wish] : proposed };
    },

    check(input) {
      const { features, proposed } = z.object({ features: pathsSchema, proposed: z.array(featureSchema) }).parse(input);
      const seen = new Set(features.map(leafName));
      const verdicts = proposed.map(({ id, path }) => {
        const name = leafName(path);
        if (library.find(name) === undefined)
          return { id, accept: false, reason: 'It is out of scope, or needs a service.' };
        if (seen.has(name)) return { id, accept: false, reason: 'It is there already.' };
        seen.add(name);
        return { id, accept: true, reason: 'It is in scope and needs the standard library only.' };
      });
      return { verdicts };
    },

    refactor(input) {
      const { modules, unassigned } = z
        .object({ modules: z.array(z.object({ name: z.string() })), unassigned: z.array(featureSchema) })
        .parse(input);
      const known = new Set(modules.map(({ name }) => name));
      const assign = Object.fromEntries(
        unassigned.map((feature) => [feature.id, title(homeOf(library, feature).name)]),
      );
      const opened = [...new Set(Object.values(assign))].filter((name) => !known.has(name));
      const describe = (name: string): string => library.modules.find((module) => title(module.name) === name)!.summary;
      return { modules: opened.map((name) => ({ name, description: describe(name) })), assign, merge: {}, rename: {} };
    },

    layout(input) {
      const { features, taken } = z
        .object({ features: z.array(featureSchema), taken: z.array(z.string()) })
        .parse(input);
      const folder = free(mostCommon(features.map((feature) => homeOf(library, feature).name)), taken);
      const sections = groupedBy(features, (feature) => sectionOf(library, feature));
      const path = (section: string): string => `${folder}/${section}.py`;
      const files = [...sections].map(([section, members]) => ({
        path: path(section),
        description: `${title(section)}: ${members.map(({ path: names }) => names.at(-1)).join(', ')}.`,
        features: members.map(({ id }) => id),
        after: [...sections.keys()]
          .filter((other) => other !== section && builds(library, members, sections.get(other)!))
          .map(path),
      }));
      return { folder, files };
    },

    dataFlow(input) {
      const { modules } = z
        .object({ modules: z.array(z.object({ name: z.string(), features: z.array(z.string()) })) })
        .parse(input);
      const owner = new Map(
        modules.flatMap(({ name, features }) => features.map((leaf) => [symbolName(library, [leaf]), name])),
      );
      const edges = new Map<string, object>();
      for (const [name, target] of owner) {
        const symbol = library.find(name);
        for (const used of symbol === undefined ? [] : library.uses(symbol)) {
          const source = owner.get(used.name);
          if (source === undefined || source === target || edges.has(`${source} ${target}`)) continue;
          edges.set(`${source} ${target}`, edge(source, target, used));
        }
      }
      return { edges: [...edges.values()] };
    },
  };
}

const numbersOf = (found: RegExpExecArray | null): [first: number, second: number] => [
  Number(found?.[1] ?? 1),
  Number(found?.[2] ?? AT_ONCE),
];

const edge = (source: string, target: string, used: LibrarySymbol): object => ({
  ...{ source, target, id: used.name, type: used.signature.split(' -> ')[1] ?? 'object' },
  transformation: `${target} builds on what ${used.name} gives back.`,
});

/** Where a feature belongs: with what has its name in the library, else where its area's name says, else in the first module. */
function homeOf(library: PythonLibrary, { path }: Feature): LibraryModule {
  const symbol = library.find(leafName(path));
  if (symbol !== undefined) return library.moduleOf(symbol);
  return library.modules.find(({ name }) => title(name) === path[0]) ?? library.modules[0]!;
}

const sectionOf = (library: PythonLibrary, { path }: Feature): string =>
  library.find(leafName(path))?.section ?? 'more';

/** True when a symbol of `members` uses one of `others`. */
function builds(library: PythonLibrary, members: readonly Feature[], others: readonly Feature[]): boolean {
  const names = new Set(others.map(({ path }) => symbolName(library, path)));
  return members.some(({ path }) => {
    const symbol = library.find(leafName(path));
    return symbol !== undefined && library.uses(symbol).some(({ name }) => names.has(name));
  });
}

/** What provides a leaf; the leaf's own name where the library has nothing of it. */
export const symbolName = (library: PythonLibrary, path: readonly string[]): string =>
  library.find(leafName(path))?.name ?? leafName(path);

/** `['Tokenizing', 'splitting', 'split words']` → `split_words`. */
export const leafName = (path: readonly string[]): string =>
  (path.at(-1) ?? '').trim().toLowerCase().replaceAll(/\W+/g, '_');

const pathOf = ({ module, section, name }: LibrarySymbol): string[] => [
  title(module),
  section,
  name.replaceAll('_', ' '),
];

/** `tokenizing` → `Tokenizing`. */
const title = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const firstSentence = (docstring: string): string => (docstring.split('\n\n', 1)[0] ?? '').replaceAll('\n', ' ');

function mostCommon(names: readonly string[]): string {
  const counts = [...groupedBy(names, (name) => name)].sort(([, one], [, other]) => other.length - one.length);
  return counts[0]?.[0] ?? 'library';
}

function groupedBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

const free = (name: string, taken: readonly string[]): string =>
  taken.includes(name) ? free(`${name}_more`, taken) : name;
