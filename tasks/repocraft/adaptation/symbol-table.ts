import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';

/** Where a dotted path leads. */
export interface Resolved {
  /**
   * `value`: a module-level name that is neither function nor class; `compiled`: a name of a compiled module, of no known
   * kind; `external`: from outside the tree.
   */
  kind: 'module' | 'class' | 'function' | 'value' | 'compiled' | 'external';
  /** Module of definition; for `module` the module itself, for `external` the dotted path outside. */
  module: string;
  /** The top-level name there; empty for modules and externals. */
  name: string;
  /** What is left of the path: attributes of the class, function, value or module. */
  rest: string[];
}

/** What every module has without binding it. */
const MODULE_ATTRIBUTES = new Set(['__name__', '__doc__', '__file__', '__package__', '__path__', '__dict__']);

/** A chain of re-exports longer than this is a loop. */
const MAX_HOPS = 20;

/** Looks dotted paths up in a parsed tree the way imports would: submodules, re-exports, star imports. Nothing is run. */
export class SymbolTable {
  readonly #index: CandidateIndex;
  readonly #topLevel: Map<string, CandidateEntry>;

  constructor(index: CandidateIndex) {
    this.#index = index;
    const topLevel = index.entries.filter((entry) => entry.owner === null);
    this.#topLevel = new Map(topLevel.map((entry) => [`${entry.module}.${entry.name}`, entry]));
  }

  /** Where `path` leads, or null when an import of it would fail. */
  resolve(path: string, hops = 0): Resolved | null {
    const parts = path.split('.');
    for (let cut = parts.length; cut > 0; cut -= 1) {
      const module = parts.slice(0, cut).join('.');
      if (!Object.hasOwn(this.#index.modules, module)) continue;
      const [name, ...rest] = parts.slice(cut);
      if (name === undefined) return this.#moduleOrName(parts, hops);
      return this.#named({ module, name, rest, hops });
    }
    return null;
  }

  /** `requests.codes` may be a submodule or a name in `requests/__init__`; the name wins where both exist, as at run time. */
  #moduleOrName(parts: string[], hops: number): Resolved {
    const module = parts.join('.');
    const parent = parts.slice(0, -1).join('.');
    const last = parts.at(-1) ?? '';
    const source = this.#index.modules[parent]?.names[last];
    const isRebound = source !== undefined && source !== module && source !== `${parent}.${last}`;
    const named = isRebound ? this.#named({ module: parent, name: last, rest: [], hops }) : null;
    return named ?? { kind: 'module', module, name: '', rest: [] };
  }

  #named(wanted: { module: string; name: string; rest: string[]; hops: number }): Resolved | null {
    const { module, name, rest, hops } = wanted;
    if (hops > MAX_HOPS) return null;
    const { names = {}, compiled = false } = this.#index.modules[module] ?? {};
    if (compiled) return { kind: 'compiled', module, name, rest };
    const source = Object.hasOwn(names, name) ? names[name] : undefined;
    if (source === null) {
      const kind = this.#topLevel.get(`${module}.${name}`)?.kind;
      return { kind: kind === 'class' || kind === 'function' ? kind : 'value', module, name, rest };
    }
    if (source !== undefined) return this.#imported([source, ...rest].join('.'), hops + 1);
    for (const [key, from] of Object.entries(names)) {
      if (!key.startsWith('*') || from === null || name.startsWith('_')) continue;
      const there = this.#index.modules[from];
      const found = there !== undefined && !there.compiled && this.#named({ module: from, name, rest, hops: hops + 1 });
      if (found) return found;
    }
    if (MODULE_ATTRIBUTES.has(name)) return { kind: 'module', module, name: '', rest: [name, ...rest] };
    return null;
  }

  #imported(path: string, hops: number): Resolved | null {
    const isInside = this.#index.packages.includes(path.split('.')[0] ?? '');
    return isInside ? this.resolve(path, hops) : { kind: 'external', module: path, name: '', rest: [] };
  }
}
