import { UserError } from '../../domain/failure/user-error.js';

/** What an option may be. */
export interface WholeNumber {
  least: number;
  most: number;
  /** What it is, with its article or unit. Default: a whole number. */
  noun?: string;
  fix: string;
}

/**
 * An option that is a whole number within limits.
 * @param option with its dashes
 * @throws UserError for anything else
 */
export function readWholeNumber(
  option: string,
  given: unknown,
  { least, most, noun = 'a whole number', fix }: WholeNumber,
): number {
  const text = String(given);
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new UserError('usage', {
    message: `${option} is "${text}"`,
    expected: `${noun} from ${least} to ${most}`,
    fix,
  });
}
