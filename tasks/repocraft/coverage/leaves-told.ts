import { tokenize } from '../../../src/suite-kit/tokenize.js';

/** Words that stand in leaves without saying which. */
const EMPTY = new Set([
  'and',
  'of',
  'the',
  'an',
  'to',
  'in',
  'or',
  'with',
  'by',
  'for',
  'support',
  'handling',
  'features',
]);

/**
 * The leaves of a taxonomy that a text names: every word of theirs stands in it, whatever its ending. A purpose that lists the taxonomy
 * it will be measured by hands out the answers, and so does a paraphrase service that copies them.
 */
export function leavesTold(text: string, leaves: readonly string[]): string[] {
  const told = new Set(tokenize(text).map(stem));
  return leaves.filter((leaf) => {
    const all = tokenize(leaf);
    const words = all.some((word) => !EMPTY.has(word)) ? all.filter((word) => !EMPTY.has(word)) : all;
    return words.every((word) => told.has(stem(word)));
  });
}

/** Enough of a stem to see `cookies` in `cookie handling`. */
const stem = (word: string): string => {
  const short = word.replace(/(?:ing|ed|es|s|e)$/, '').replace(/y$/, 'i');
  return short.length < 3 ? word : short;
};
