import { nearest } from '../../config/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';

/** What an option takes. */
export interface KnownWords {
  /** With its dashes. */
  option: string;
  /** What a word that is not known is not. */
  noun: string;
  known: readonly string[];
}

/** The words of an option, separated by commas, each once; undefined where it is left out. */
export function namedWords(value: unknown): string[] | undefined {
  return typeof value === 'string' ? [...new Set(value.split(',').map((word) => word.trim()))] : undefined;
}

/**
 * The words of an option out of those there are; all of them where it is left out.
 * @throws UserError with a line for each that is not one of them
 */
export function knownWords(value: unknown, { option, noun, known }: KnownWords): string[] {
  const named = namedWords(value) ?? [...known];
  const problems = named
    .filter((word) => !known.includes(word))
    .map((word) => {
      const meant = nearest(word, known);
      return {
        message: `${option}: "${word}" is not ${noun}`,
        expected: known.length === 0 ? 'there are none' : `any of ${known.join(', ')}`,
        fix: meant === undefined ? `name one of these, or leave ${option} out` : `did you mean "${meant}"?`,
      };
    });
  if (problems.length > 0) throw new UserError('usage', problems);
  return named;
}
