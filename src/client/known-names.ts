import { nearest } from '../domain/text/nearest.js';
import { UserError } from '../domain/failure/user-error.js';

/** Names that may be given. */
export interface KnownNames {
  /** The option of the command line that takes them, with its dashes. */
  option: string;
  /** What each of them is, with its article. */
  noun: string;
  known: readonly string[];
}

/**
 * The names out of those there are; all of them where none is given.
 * @throws UserError with a line for each that is not one of them
 */
export function knownNames(given: readonly string[] | undefined, { option, noun, known }: KnownNames): string[] {
  const named = [...(given ?? known)];
  const problems = named
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      return {
        message: `"${name}" is not ${noun}`,
        expected: known.length === 0 ? 'nothing: there is none' : `any of ${known.join(', ')}`,
        fix: meant === undefined ? `name one of these, or leave ${option} out` : `did you mean "${meant}"?`,
      };
    });
  if (problems.length > 0) throw new UserError('usage', problems);
  return named;
}
