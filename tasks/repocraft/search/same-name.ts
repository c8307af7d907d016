import { entryPath, type CandidateEntry } from '../candidate/candidate-index.js';

/**
 * True where a candidate's entry is called like a reference symbol (`requests.sessions.Session.get`): the same words, in
 * whatever style; of a method the same words of its class, too. A class does not match a function of its name. Where it lies does not
 * matter, and what it does is not known: names can coincide.
 */
export function hasSameName(target: string, { name, owner }: Pick<CandidateEntry, 'name' | 'owner'>): boolean {
  const parts = target.split('.');
  const parent = parts.at(-2) ?? '';
  if (!isSameName(parts.at(-1) ?? '', name)) return false;
  return owner === null ? !isTypeName(parent) : isSameName(parent, owner.split('.').at(-1) ?? '');
}

/** Places of the entries that are called like a reference symbol. */
export const rowsNamed = (target: string, entries: readonly CandidateEntry[]): number[] =>
  entries.flatMap((entry, row) => (hasSameName(target, entry) ? [row] : []));

/** Whether a candidate's entry is called like any definition of a library. */
export const isNameOf = (library: readonly CandidateEntry[], entry: CandidateEntry | undefined): boolean =>
  entry !== undefined && library.some((each) => hasSameName(entryPath(each), entry));

function isSameName(a: string, b: string): boolean {
  if (isTypeName(a) !== isTypeName(b)) return false;
  return lettersOf(a) === lettersOf(b) && lettersOf(a) !== '';
}

/** `parse_url` and `parseUrl` alike. */
const lettersOf = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** Python's way to tell a class; the few it misses (`sympy`'s functions) count as modules. */
const isTypeName = (name: string): boolean => /^_*[A-Z]/.test(name);
