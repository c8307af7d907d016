import { z } from 'zod';
import { leafName, symbolName } from './planner.js';
import type { LibrarySymbol, PythonLibrary } from './python-library.js';
import { briefSchema, featureSchema, type Brief, type Feature } from './question.js';

const interfacesInput = z.object({
  file: z.object({ path: z.string() }),
  features: z.array(featureSchema),
  available: z.array(briefSchema.pick({ id: true, name: true })),
});

/** Answers the requirements prompts: shared classes, and signatures with docstrings. */
export interface Designer {
  baseClasses(input: unknown): object;
  interfaces(input: unknown): object;
}

/** A designer who knows one library. */
export function createDesigner(library: PythonLibrary): Designer {
  const classes = library.modules.flatMap(({ symbols }) => symbols.filter(({ kind }) => kind === 'class'));

  return {
    baseClasses(input) {
      const { modules } = z.object({ modules: z.array(z.object({ name: z.string() })) }).parse(input);
      const shared = library.shared.flatMap((symbol) => {
        const home = modules.find(({ name }) => leafName([name]) === symbol.module);
        return home === undefined
          ? []
          : [{ name: symbol.name, module: home.name, docstring: symbol.docstring, methods: [] }];
      });
      return { classes: shared.slice(0, 3) };
    },

    interfaces(input) {
      const { file, features, available } = interfacesInput.parse(input);
      const here = new Map(
        features.map(({ path }) => {
          const name = symbolName(library, path);
          return [name, `${file.path}::${name}`];
        }),
      );
      const idOf = (name: string): string | undefined =>
        here.get(name) ?? available.find((one) => one.name === name)?.id;
      return {
        interfaces: features.map((feature) => {
          const symbol = library.find(leafName(feature.path));
          if (symbol === undefined) return unknownInterface(feature);
          const invokes = library.uses(symbol).flatMap(({ name }) => idOf(name) ?? []);
          return { ...described(symbol, classes), features: [feature.id], invokes, inherits: [] };
        }),
      };
    },
  };
}

function described(symbol: LibrarySymbol, classes: readonly LibrarySymbol[]): object {
  const { kind, name, docstring } = symbol;
  // Classes of the library may live in another file: their names are quoted.
  const signature = classes.reduce(
    (text, { name: word }) => text.replaceAll(new RegExp(`(?<!")\\b${word}\\b(?!")`, 'g'), `"${word}"`),
    symbol.signature,
  );
  return { kind, name, signature, docstring, methods: [] };
}

/** A feature somebody added by hand: a function of that name over text. */
const unknownInterface = ({ id, path, description }: Feature): object => ({
  kind: 'function',
  name: leafName(path),
  signature: '(text: str) -> str',
  docstring: description || path.join(', '),
  methods: [],
  ...{ features: [id], invokes: [], inherits: [] },
});

/** A brief's own file: `measures/counts.py`. */
export const fileOf = ({ id }: Pick<Brief, 'id'>): string => id.split('::', 1)[0] ?? '';
