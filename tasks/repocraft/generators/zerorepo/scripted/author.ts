import { createHash } from 'node:crypto';
import type { Play } from '../../../../../src/ports/scripted-player.js';
import type { Craft } from './coder.js';

/** How an author errs: a feature forgotten, a parameter too many, and three ways in which code is wrong. */
const ERRORS = ['missing', 'signature', 'stub', 'off-by-one', 'cyclic-import'] as const;
type AuthorError = (typeof ERRORS)[number];

/** An author who is right about each symbol with the probability of its skill, by a seed; who errs, errs in one known way. */
export interface Author {
  /** What it gets wrong about a symbol at first; null where it does not. */
  errorOf(name: string): AuthorError | null;
  /** How it writes a symbol; `again`: once a test has failed, which it then sees through with the probability of its skill. */
  craft(name: string, again?: boolean): Craft;
}

/** An author of a manner; null where the manner has no skill. Of two skills with one seed the higher one errs on a part of the other's. */
export function authorOf({ as, skill, seed = 1 }: Play): Author | null {
  if (as !== 'author') return null;
  const level = skill ?? 1;
  const chance = (what: string, name: string): number => {
    const digest = createHash('sha256').update(`${seed}/${what}/${name}`).digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
  const errorOf = (name: string): AuthorError | null =>
    chance('errs', name) < level ? null : (ERRORS[Math.floor(chance('how', name) * ERRORS.length)] ?? null);
  return {
    errorOf,
    craft: (name, again = false) => {
      const error = errorOf(name);
      if (error === null || error === 'missing' || (again && chance('sees', name) < level)) return 'right';
      return error === 'signature' ? 'right' : error;
    },
  };
}

interface Interfaces {
  interfaces: { kind: string; name: string; signature: string }[];
}

/** Its designs: where it errs about a signature, one parameter too many, which nobody hands over. */
export function designedBy(author: Author | null, answer: object): object {
  if (author === null) return answer;
  const { interfaces } = answer as Interfaces;
  return {
    interfaces: interfaces.map((one) =>
      one.kind === 'function' && author.errorOf(one.name) === 'signature'
        ? {
            ...one,
            signature: one.signature
              .replace(/^\((?=\S)/, (open) => `${open}context, `)
              .replace('context, )', 'context)'),
          }
        : one,
    ),
  };
}
