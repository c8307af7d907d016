import { closest, distance } from 'fastest-levenshtein';

/** The known word a mistyped one most likely meant; undefined when nothing is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const candidate = closest(word.toLowerCase(), [...known]);
  const limit = Math.max(2, Math.floor(word.length / 3));
  return distance(word.toLowerCase(), candidate.toLowerCase()) <= limit ? candidate : undefined;
}
