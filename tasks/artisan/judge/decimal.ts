/** An exact number, `digits × 10^exponent`: what stands in a table is compared as it is written, never as a float. */
export interface Decimal {
  digits: bigint;
  exponent: number;
}

/** ASCII digits only: whoever prints others prints no number that a reader of the table would copy. */
const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;
/** `1.5 × 10^-3`, as papers write it. */
const POWER = /^(.*\S)\s*[×x*]\s*10\s*\^\s*\{?([+-]?\d{1,4})\}?$/;
/** Groups of three, all with one separator: a comma or a space, narrow or not. */
const GROUPED =
  /^([+-]?)([1-9]\d{0,2})(?:,\d{3})+(?![\d,])|^([+-]?)([1-9]\d{0,2})(?:([\u0020\u00a0\u2009\u202f])\d{3})(?:\5\d{3})*(?!\d)/;
/** Longer texts are no number of a table, and numbers of that length would take long to compare. */
const LONGEST = 400;

/** What a cell says as a number; null where that is not plain. */
export function readDecimal(text: string): Decimal | null {
  if (text.length > LONGEST) return null;
  const ascii = text.trim().replace(/[\u2212\u2013\u2010\u2011]/g, '-');
  const power = POWER.exec(ascii);
  const [mantissa, shift] = power ? [power[1] ?? '', Number(power[2])] : [ascii, 0];
  const grouped = GROUPED.exec(mantissa)?.[0] ?? '';
  const plain = PLAIN.exec(grouped.replace(/[^\d+-]/g, '') + mantissa.slice(grouped.length));
  if (plain === null) return null;
  const [, sign, whole = '', part = '', exponent] = plain;
  if (whole + part === '' || (power !== null && exponent !== undefined)) return null;
  const digits = BigInt(whole + part) * (sign === '-' ? -1n : 1n);
  return { digits, exponent: Number(exponent ?? 0) + shift - part.length };
}

/** Negative, zero or positive, as the first is below, equal to or above the second. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** How many digits a number has before its exponent; 1 for zero. */
const lengthOf = ({ digits }: Decimal): number => String(digits < 0n ? -digits : digits).length;

/** The exponent of the n-th significant digit, or of the last that is written where there are fewer. */
export const unitOf = (value: Decimal, significant: number): number =>
  Math.max(value.exponent, value.exponent + lengthOf(value) - significant);

/** Whether two numbers are no further apart than half of `10^unit`. */
export const isWithinHalf = (a: Decimal, b: Decimal, unit: number): boolean => isWithin(a, b, { unit, halves: 1n });

/** Whether two numbers are no further apart than so many halves of `10^unit`. */
export function isWithin(a: Decimal, b: Decimal, { unit, halves }: { unit: number; halves: bigint }): boolean {
  const [left, right] = aligned(a, b);
  const [twice, step] = aligned(
    { digits: magnitude(left - right) * 2n, exponent: Math.min(a.exponent, b.exponent) },
    { digits: halves, exponent: unit },
  );
  return twice <= step;
}

/**
 * Whether a number comes out as `printed` when it is rounded to its last digit, by one of the two rules in use: halves away from
 * zero, or to the even digit. Of 0.315 both make 0.32, so that it is no 0.31.
 */
export function roundsTo(value: Decimal, printed: Decimal): boolean {
  if (!isWithinHalf(value, printed, printed.exponent)) return false;
  const [exact, target] = aligned(value, printed);
  const [twice, unit] = [magnitude(exact - target) * 2n, aligned({ digits: 1n, exponent: printed.exponent }, value)[0]];
  const isHalf = twice === unit && value.exponent < printed.exponent;
  return !isHalf || magnitude(target) > magnitude(exact) || printed.digits % 2n === 0n;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** Both as multiples of the smaller of their units. */
function aligned(a: Decimal, b: Decimal): [bigint, bigint] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [a.digits * 10n ** BigInt(a.exponent - exponent), b.digits * 10n ** BigInt(b.exponent - exponent)];
}
