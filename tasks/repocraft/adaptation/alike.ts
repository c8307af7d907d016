import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';
import { tokenize } from '../../../src/suite-kit/tokenize.js';

/** Definitions less alike than this are not taken for each other. */
export const MIN_ALIKE = 0.5;

/** Fewer words say too little of what something is. */
const FEWEST_DOC_WORDS = 3;
const FEWEST_METHODS = 2;

/** What is written of a definition beside its name. */
interface Portrait {
  /** Telling words of the docstring's first paragraph. */
  doc: ReadonlySet<string>;
  /** Methods of a class, parameters of a function. */
  members: ReadonlySet<string>;
}

/** Compares definitions of two libraries: by name, by docstring, by parameters or methods. */
export class Likeness {
  readonly #indexes: readonly CandidateIndex[];
  #methods: Map<string, Set<string>> | null = null;
  readonly #portraits = new Map<CandidateEntry, Portrait>();

  constructor(...indexes: CandidateIndex[]) {
    this.#indexes = indexes;
  }

  /** Methods by class; read when they are first asked for: most tests need no comparison. */
  #methodsOf({ file, module, qualname }: CandidateEntry): ReadonlySet<string> {
    this.#methods ??= methodsByClass(this.#indexes);
    return this.#methods.get(`${file}\n${module}.${qualname}`) ?? new Set();
  }

  /** 0 to 1; {@link MIN_ALIKE} and more is the same thing under another name. */
  of(a: CandidateEntry, b: CandidateEntry): number {
    const named = likeness(a.name, b.name);
    const written = this.#written(a, b);
    // Where both speak, the lesser one decides among equals.
    return Math.max(named, written) + Math.min(named, written) / 20;
  }

  #written(a: CandidateEntry, b: CandidateEntry): number {
    const [one, other] = [this.#portrait(a), this.#portrait(b)];
    const doc = Math.min(one.doc.size, other.doc.size) < FEWEST_DOC_WORDS ? null : shareOf(one.doc, other.doc);
    const fewest = a.kind === 'class' ? FEWEST_METHODS : 1;
    const members =
      Math.min(one.members.size, other.members.size) < fewest ? null : shareOf(one.members, other.members);
    if (doc === null) return a.kind === 'class' ? 0.9 * (members ?? 0) : 0;
    // Parameters are named alike everywhere; a docstring and methods are not.
    if (members === null) return 0.9 * doc;
    return a.kind === 'class' ? (doc + members) / 2 : 0.7 * doc + 0.3 * members;
  }

  #portrait(entry: CandidateEntry): Portrait {
    const known = this.#portraits.get(entry);
    if (known !== undefined) return known;
    const members = entry.kind === 'class' ? this.#methodsOf(entry) : parametersOf(entry.signature);
    const portrait = { doc: new Set(tokenize(entry.doc).filter((word) => word.length > 2)), members };
    this.#portraits.set(entry, portrait);
    return portrait;
  }
}

function methodsByClass(indexes: readonly CandidateIndex[]): Map<string, Set<string>> {
  const methods = new Map<string, Set<string>>();
  for (const { kind, owner, module, name, file } of indexes.flatMap(({ entries }) => entries))
    if (kind === 'method' && owner !== null && !isProtocol(name)) {
      const key = `${file}\n${module}.${owner}`;
      methods.set(key, (methods.get(key) ?? new Set()).add(name));
    }
  return methods;
}

const isProtocol = (name: string): boolean => name.startsWith('__') && name.endsWith('__');

/** Names of the parameters in a signature as `parse.py` prints it, without `self` and `cls`. */
export function parametersOf(signature: string): Set<string> {
  const names = new Set<string>();
  let depth = 0;
  let word = '';
  for (const character of signature.slice(signature.indexOf('(') + 1)) {
    if (depth === 0 && (character === ',' || character === ')')) {
      const name = /^\s*\**([A-Za-z_]\w*)/.exec(word)?.[1];
      if (name !== undefined && name !== 'self' && name !== 'cls') names.add(name);
      word = '';
      if (character === ')') break;
    } else word += character;
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
  }
  return names;
}

/** 1 for equal names, 0.95 for equal words in another style, else shared words over all words. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const [x, y] = [tokenize(a), tokenize(b)];
  if (x.join(' ') === y.join(' ') || x.join('') === y.join('')) return 0.95;
  return 0.9 * shareOf(new Set(x), new Set(y));
}

/** Shared over all. */
export function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}
