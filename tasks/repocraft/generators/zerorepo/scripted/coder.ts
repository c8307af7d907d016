import { z } from 'zod';
import { fileOf } from './designer.js';
import { identifiers, type LibrarySymbol, type PythonLibrary } from './python-library.js';
import { briefSchema, type Brief } from './question.js';

const failedInput = z.object({
  unit: briefSchema,
  /** As it stands, imports and helpers above it. */
  code: z.string().default(''),
  failure: z.string().default(''),
  uses: z.array(briefSchema).default([]),
  seen: z.array(z.unknown()).default([]),
});

/**
 * How code is written: as it should be, wrong in a way tests notice, without an end, only pretending to compute,
 * or with one of the errors of an {@link Author}.
 */
export type Craft = 'right' | 'wrong' | 'endless' | 'tagged' | 'stub' | 'off-by-one' | 'cyclic-import';

/** Answers the prompts about code. */
export interface Coder {
  code(input: unknown, craft: (name: string) => Craft): object;
  repair(input: unknown, craft: (name: string) => Craft): object;
  localize(input: unknown): object;
  failureVote(input: unknown): object;
}

/** A coder who knows one library, but takes names, signatures and docstrings from the prompt. */
export function createCoder(library: PythonLibrary): Coder {
  return {
    code(input, craft) {
      const { units, uses } = z
        .object({ units: z.array(briefSchema), uses: z.array(briefSchema).default([]) })
        .parse(input);
      return {
        units: units.map((unit) => ({ unit: unit.id, ...written(library, unit, { uses, craft: craft(unit.name) }) })),
      };
    },

    repair(input, craft) {
      const { unit, code, uses } = failedInput.parse(input);
      const { imports, helpers, source } = written(library, unit, { uses, craft: craft(unit.name) });
      const had = code.split('\n').filter((line) => /^(from|import) /.test(line));
      const isComplete = imports.every((line) => had.includes(line));
      const all = [...new Set([...had, ...imports])];
      const name = /^(\w+)/.exec(helpers)?.[1] ?? '';
      return {
        edits: [
          ...(isComplete ? [] : [{ kind: 'imports', name: '', source: all.join('\n') }]),
          ...(helpers !== '' && !code.includes(name) ? [{ kind: 'assignment', name, source: helpers }] : []),
          { kind: unit.kind, name: unit.name, source },
        ],
      };
    },

    /** Looks at the code first, then knows. */
    localize(input) {
      const { unit, seen } = failedInput.parse(input);
      return seen.length === 0 ? { tool: 'code', argument: unit.id } : { tool: 'stop', argument: unit.name };
    },

    failureVote(input) {
      const { unit, code, failure } = failedInput.parse(input);
      if (/No module named '(?!\w+\.)/.test(failure)) return { cause: 'environment', reason: 'A module is not there.' };
      const isRight = plain(code).includes(plain(written(library, unit, { uses: [], craft: 'right' }).source));
      return isRight
        ? { cause: 'test', reason: 'The code does what the docstring says.' }
        : { cause: 'code', reason: 'The code does not do what the docstring says.' };
    },
  };
}

interface Written {
  imports: string[];
  helpers: string;
  source: string;
}

function written(library: PythonLibrary, unit: Brief, how: { uses: readonly Brief[]; craft: Craft }): Written {
  const symbol = library.find(unit.name);
  if (symbol === undefined) return { imports: [], helpers: '', source: definition(unit, '    return text\n') };
  if (how.craft === 'tagged') return { imports: [], helpers: '', source: definition(unit, taggedBody(unit)) };
  if (how.craft === 'endless')
    return { imports: [], helpers: '', source: definition(unit, '    while True:\n        pass\n') };
  const body = bodyOf(symbol, how.craft);
  const module = library.moduleOf(symbol);
  const words = identifiers(`${symbol.signature}\n${symbol.body}`);
  const helpers = module.constants.filter(({ name }) => words.has(name)).map(({ source }) => source);
  const own = new Set(library.modules.flatMap(({ symbols }) => symbols.map(({ name }) => name)));
  const outside = module.imports.flatMap(({ statement, names }) =>
    names.some((name) => words.has(name) && !own.has(name)) ? [statement] : [],
  );
  const inside = library.uses(symbol).flatMap(({ name }) => {
    const used = how.uses.find((brief) => brief.name === name);
    return used === undefined || fileOf(used) === fileOf(unit) ? [] : [used.import];
  });
  const itself = how.craft === 'cyclic-import' ? [unit.import] : [];
  return {
    imports: [...outside, ...inside, ...itself],
    helpers: helpers.join('\n'),
    source: definition(unit, body, symbol),
  };
}

function bodyOf(symbol: LibrarySymbol, craft: Craft): string {
  if (craft === 'wrong') return wrongBody(symbol);
  const changed = craft === 'off-by-one' ? offByOne(symbol.body) : symbol.body;
  return craft === 'stub' || changed === null ? '    raise NotImplementedError\n' : changed;
}

/** Name, signature and docstring are the prompt's; a class keeps the bases it has in the library. */
function definition(unit: Brief, body: string, symbol?: LibrarySymbol): string {
  const head =
    unit.kind === 'class' ? `class ${unit.name}${symbol?.signature ?? ''}:` : `def ${unit.name}${unit.signature}:`;
  const raw = unit.docstring.includes('\\') ? 'r' : '';
  const lines = unit.docstring.split('\n').map((line, index) => (index === 0 || line === '' ? line : `    ${line}`));
  const end = lines.length > 1 ? '\n    ' : '';
  return `${head}\n    ${raw}"""${lines.join('\n')}${end}"""\n${unit.kind === 'class' ? '\n' : ''}${body.trimEnd()}\n`;
}

/** Computes the right thing and hands something else back: every test of a value fails, none by accident. */
function wrongBody(symbol: LibrarySymbol): string {
  if (symbol.kind === 'class') return '    pass\n';
  const inner = symbol.body
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
  return `    def computed():\n${inner}\n\n    return ("wrong", computed())\n`;
}

/** What the released generator's log shows: a dictionary that names the operation instead of doing it. */
function taggedBody(unit: Brief): string {
  if (unit.kind === 'class') return '    pass\n';
  const names = [...unit.signature.split(' -> ')[0]!.matchAll(/(\w+)\s*:/g)].map(([, name]) => name);
  return `    return {"operation": "${unit.name}", "arguments": [${names.join(', ')}]}\n`;
}

const plain = (source: string): string => source.replaceAll(/\s+/g, ' ').trim();

/** The first whole number of a body is one more; null where it has none. */
export function offByOne(body: string): string | null {
  const found = /(?<![\w."'])\d+(?![\w."'])/.exec(body);
  if (found === null) return null;
  return `${body.slice(0, found.index)}${Number(found[0]) + 1}${body.slice(found.index + found[0].length)}`;
}
