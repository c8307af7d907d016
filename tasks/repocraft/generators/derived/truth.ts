import type { Blobs } from '../../../../src/ports/blobs.js';
import type { DeriveKind } from './derive-settings.js';
import { recallJson, rememberJson } from '../../../../src/suite-kit/json-blobs.js';

/** What became of the reference's names in a derived candidate. */
export interface DerivedNames {
  /** Modules that are called otherwise: dotted path in the reference → in the candidate. */
  modules: Record<string, string>;
  /** Top-level definitions that are called otherwise: `module.name` in the reference → the new name. */
  symbols: Record<string, string>;
  /** Dotted reference paths of what is gone. */
  deleted: string[];
  /** Dotted candidate paths of functions and classes without a docstring, of a `reworded` library. */
  undocumented?: string[];
}

/**
 * What a derived candidate has to do with one task. `passed` and `failed` come from plain pytest on the library itself,
 * with the test rewritten by what rewrote the library; `unsound`: the derivation broke the test, so nothing is expected;
 * `untried`: nobody ran it.
 */
export type Expected = 'passed' | 'failed' | 'unsound' | 'untried';

/** Everything that is known of a derived candidate: evidence `truth.json` of its generation. */
export interface Truth {
  project: string;
  kind: DeriveKind;
  /** As the campaign said it: `partial-30`. */
  word: string;
  seed: number;
  names: DerivedNames;
  /** Targets that were altered, where it is about targets. */
  altered: string[];
  /** Task → its main target in the reference, what is expected of it, and why where that is not `passed`. */
  tasks: Record<string, { target: string; expected: Expected; reason: string }>;
}

/** Name of the evidence. */
export const TRUTH_FILE = 'truth.json';

/** Where the dotted path of a definition, or of something in it, lies in the candidate; null where it is gone. */
export function imageOf(names: DerivedNames, path: string): string | null {
  if (names.deleted.some((gone) => path === gone || path.startsWith(`${gone}.`))) return null;
  const parts = path.split('.');
  for (let cut = parts.length; cut > 0; cut -= 1) {
    const head = parts.slice(0, cut).join('.');
    const module = names.modules[head];
    if (module !== undefined) return [module, ...parts.slice(cut)].join('.');
    const renamed = names.symbols[head];
    if (renamed !== undefined) {
      const parent = parts.slice(0, cut - 1).join('.');
      return [names.modules[parent] ?? parent, renamed, ...parts.slice(cut)].join('.');
    }
  }
  return path;
}

/** False where a reworded candidate says nothing of the target but by its code. */
export const isDocumented = (names: DerivedNames, target: string): boolean =>
  !(names.undocumented ?? []).includes(imageOf(names, target) ?? '');

/** True where a candidate's entry is the target, the class it is a method of, or a method of it. */
export function isRightEntry(names: DerivedNames, target: string, entry: string): boolean {
  const image = imageOf(names, target);
  if (image === null) return false;
  return entry === image || image.startsWith(`${entry}.`) || entry.startsWith(`${image}.`);
}

const namesKey = (candidateSha256: string): string => `repocraft.derived/${candidateSha256}`;

/** Keeps a candidate's names where a voter that knows the truth finds them. */
export function rememberNames(blobs: Blobs, candidateSha256: string, names: DerivedNames): Promise<void> {
  return rememberJson(blobs, { key: namesKey(candidateSha256), name: 'derived-names.json' }, names);
}

/** The names of a derived candidate; null for every other. */
export function recallNames(blobs: Blobs, candidateSha256: string): Promise<DerivedNames | null> {
  return recallJson<DerivedNames>(blobs, namesKey(candidateSha256));
}
