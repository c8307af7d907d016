import { closest, distance } from 'fastest-levenshtein';

/** The known word a mistyped one most likely meant; undefined when nothing is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const candidate = closest(word.toLowerCase(), [...known]);
  const far = distance(word.toLowerCase(), candidate.toLowerCase());
  // As far as the words are long: they have no letter in common.
  const limit = Math.min(Math.max(2, Math.floor(word.length / 3)), Math.max(word.length, candidate.length) - 1);
  return far <= limit ? candidate : undefined;
}
