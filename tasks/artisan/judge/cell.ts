import { compareDecimals, isWithin, isWithinHalf, readDecimal, roundsTo, unitOf, type Decimal } from './decimal.js';

/** What a cell holds. */
export const CELL_TYPES = ['integer', 'decimal', 'percent', 'p-value', 'text', 'interval'] as const;
export type CellType = (typeof CELL_TYPES)[number];

/**
 * How far a number may be off: as printed where nothing is said; to so many significant digits; or anywhere between two bounds
 * (what chance alone does to a Monte Carlo cell).
 */
export type Tolerance = { significant: number } | { low: string; high: string };

/** What a cell is to hold. */
export interface Expected {
  type: CellType;
  /** As it is printed. */
  printed: string;
  tolerance?: Tolerance | undefined;
}

/** `match`: the very value; `rounding`: it rounds to what is printed; `interval`: within the bounds; the rest is wrong. */
export type CellOutcome = 'match' | 'rounding' | 'interval' | 'mismatch' | 'missing' | 'unreadable';

export const isRight = (outcome: CellOutcome): boolean =>
  outcome === 'match' || outcome === 'rounding' || outcome === 'interval';

/** What of a cell is layout: blanks, and the marks of Markdown around a value. */
export const plainText = (text: string): string =>
  text
    .normalize('NFC')
    .trim()
    .replace(/^(\*\*|__|`|\*|_)(.*)\1$/s, '$2')
    .replace(/\s+/g, ' ')
    .trim();

/** Compares what a script printed in a cell with what is to be there. */
export function judgeCell(expected: Expected, given: string | undefined): CellOutcome {
  const text = plainText(given ?? '');
  if (text === '') return 'missing';
  if (expected.type === 'text') return text === plainText(expected.printed) ? 'match' : 'mismatch';
  if (expected.type === 'interval') return judgeInterval(expected, text);
  if (expected.type === 'p-value') return judgeProbability(expected, text);
  if (expected.type === 'percent') return judgeNumber(expected, withoutPercent(expected.printed), withoutPercent(text));
  return judgeNumber(expected, expected.printed, text);
}

function judgeNumber({ type, tolerance }: Expected, printedText: string, text: string): CellOutcome {
  const [printed, given] = [readPrinted(printedText), readDecimal(text)];
  if (given === null) return 'unreadable';
  if (tolerance !== undefined && 'low' in tolerance) {
    const isInside =
      compareDecimals(given, readPrinted(tolerance.low)) >= 0 &&
      compareDecimals(given, readPrinted(tolerance.high)) <= 0;
    return isInside ? 'interval' : 'mismatch';
  }
  if (compareDecimals(given, printed) === 0) return 'match';
  if (type === 'integer') return 'mismatch';
  const unit = tolerance === undefined ? printed.exponent : unitOf(printed, tolerance.significant);
  const isNear = unit <= printed.exponent ? roundsTo(given, printed) : isWithinHalf(given, printed, unit);
  return isNear ? 'rounding' : 'mismatch';
}

/** `< 0.0001` says no more than that: the same words, or any smaller probability. */
function judgeProbability(expected: Expected, text: string): CellOutcome {
  const [bound, given] = [boundOf(expected.printed), boundOf(text)];
  const value = readDecimal(given ?? text);
  if (value === null) return 'unreadable';
  if (value.digits < 0n || compareDecimals(value, { digits: 1n, exponent: 0 }) > 0) return 'mismatch';
  if (bound === null) return given === null ? judgeNumber(expected, expected.printed, text) : 'mismatch';
  const order = compareDecimals(value, readPrinted(bound));
  if (given !== null) return order === 0 ? 'match' : 'mismatch';
  return order < 0 ? 'match' : 'mismatch';
}

const boundOf = (text: string): string | null => /^<\s*(.+)$/.exec(text.trim())?.[1] ?? null;

/**
 * Whether a number is off by no more than one unit of the last digit that the paper prints, so that another way to compute it may come
 * out on the other side of an edge of rounding. Never so of a count, of a text, of a cell that chance has a hand in, or of one whose
 * tolerance asks for no more digits than are printed. What is printed as `0.8679` has four digits: of 1.2787 so many are asked for as well,
 * since that is how programs write numbers which nobody told them to round otherwise.
 *
 * A probability may be one unit of its third digit off. It follows from a statistic, and the further out the statistic the more an error
 * of it counts: where a program stops before its last digit, as `glm` of R does, a probability has fewer right ones than it prints.
 * It alone may be told by a bound: below zero, or below one, is many a number.
 * @param published as the paper prints the cell: its form says how many digits are asked for
 * @param altered what is to be there where the data is altered, to as many digits or more
 */
export function isOneUnitOff(
  { type, printed: published, tolerance }: Expected,
  altered: string,
  given: string,
): boolean {
  if (type !== 'decimal' && type !== 'percent' && type !== 'p-value') return false;
  if (tolerance !== undefined && 'low' in tolerance) return false;
  const bare = type === 'percent' ? withoutPercent : (text: string): string => text;
  const [bound, givenBound] = type === 'p-value' ? [boundOf(altered), boundOf(plainText(given))] : [null, null];
  const [value, number] = [readPrinted(bound ?? bare(altered)), readDecimal(givenBound ?? bare(plainText(given)))];
  if (number === null || (type === 'p-value' && number.digits < 0n)) return false;
  const unit = unitAskedFor(bare(published), value, type);
  // Where as many digits are printed, the tolerance alone says what is near.
  if (tolerance !== undefined && unit <= unitOf(value, tolerance.significant)) return false;
  if (bound !== null) return compareDecimals(number, value) <= 0;
  if (givenBound !== null)
    return compareDecimals(value, number) <= 0 && compareDecimals(number, { digits: 1n, exponent: unit }) <= 0;
  return isWithin(number, value, { unit, halves: 2n });
}

/** Of a probability on altered data no more are asked for (see {@link isOneUnitOff}), and of other numbers no fewer. */
const FEW_DIGITS = 3;

/** The exponent of the last digit that a value is asked for, in the form in which the paper prints the cell. */
function unitAskedFor(published: string, value: Decimal, type: CellType): number {
  const [mantissa = '', exponent] = published.split(/e/i);
  const digits = mantissa.replace(/\D/g, '');
  const unit =
    exponent === undefined
      ? Math.max(value.exponent, readPrinted(boundOf(published) ?? published).exponent)
      : unitOf(value, digits.length);
  const significant = digits.replace(/^0+/, '').length;
  return Math.max(unit, unitOf(value, type === 'p-value' ? FEW_DIGITS : Math.max(FEW_DIGITS, significant)));
}

/** Both ends must hold; the weaker of the two is the outcome. */
function judgeInterval(expected: Expected, text: string): CellOutcome {
  const [printed, given] = [endsOf(expected.printed), endsOf(text)];
  if (printed === null) throw new TypeError(`${expected.printed} is no interval`);
  if (given === null) return 'unreadable';
  const outcomes = printed.map((end, index) => judgeNumber(expected, end, given[index] ?? ''));
  return WEAKEST.find((outcome) => outcomes.includes(outcome)) ?? 'match';
}

const WEAKEST: readonly CellOutcome[] = ['unreadable', 'mismatch', 'interval', 'rounding'];

function endsOf(text: string): [string, string] | null {
  const inner = /^\s*[[(](.*)[\])]\s*$/s.exec(text)?.[1] ?? text;
  const ends = inner.split(/\s*;\s*|,\s+|\s+to\s+/);
  return ends.length === 2 ? [ends[0] ?? '', ends[1] ?? ''] : null;
}

const withoutPercent = (text: string): string => text.trim().replace(/\s*%$/, '');

/** A value of ours, checked when the table was read. */
function readPrinted(text: string): Decimal {
  const value = readDecimal(text);
  if (value === null) throw new TypeError(`${text} is no number`);
  return value;
}

/** What is wrong with a value as the content of a cell; null where it fits. */
export function valueProblem({ type, printed, tolerance }: Expected): string | null {
  if (plainText(printed) === '') return 'it is empty';
  if (type === 'text') return tolerance === undefined ? null : 'a text has no tolerance';
  const parts =
    type === 'interval'
      ? (endsOf(printed) ?? [''])
      : [type === 'percent' ? withoutPercent(printed) : type === 'p-value' ? (boundOf(printed) ?? printed) : printed];
  if (parts.some((part) => readDecimal(part) === null)) return `"${printed}" is no ${type}`;
  const isWhole = (readDecimal(printed)?.exponent ?? 0) >= 0;
  return type === 'integer' && !isWhole ? `"${printed}" is no integer` : null;
}
