import { readDecimal, type Decimal } from './decimal.js';

/** Fewer significant digits stand in many a script by chance. */
const FEWEST_DIGITS = 3;
/** Encoded texts are looked into this deep. */
const DEEPEST = 3;
/** Numbers as scripts write them, and runs that may be an encoded text. */
const NUMBERS = /\d[\d,_]*(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+(?:[eE][+-]?\d{1,3})?/g;
const BASE64 = /[A-Za-z0-9+/]{16,}={0,2}/g;
const HEX = /(?:[0-9a-fA-F]{2}){8,}/g;

/**
 * The hidden values that stand in a script, plain or encoded (base64 or hexadecimal, a few times over): evidence of where a copied
 * table came from. It decides nothing by itself, since an honest script may say in a comment what it expects.
 * @param values as printed
 */
export function literalsIn(script: string, values: readonly string[]): string[] {
  const wanted = values
    .map((value) => ({ value, digits: leading(readDecimal(value.replace(/^<\s*|\s*%$/g, ''))) }))
    .filter(({ digits }) => digits.length >= FEWEST_DIGITS);
  const found = new Set<string>();
  for (const text of decoded(script, DEEPEST))
    for (const [number] of text.matchAll(NUMBERS)) {
      const digits = leading(readDecimal(number.replace(/[,_]/g, '')));
      for (const { value, digits: hidden } of wanted)
        if (digits.length >= FEWEST_DIGITS && isSame(digits, hidden)) found.add(value);
    }
  return [...found];
}

/** A value that somebody cut or rounded is the value still, down to four digits of it. */
function isSame(digits: string, hidden: string): boolean {
  if (digits === hidden) return true;
  const length = Math.min(digits.length, hidden.length);
  return length >= 4 && [cut(digits, length), rounded(digits, length)].some((each) => isCutOf(each, hidden, length));
}

const isCutOf = (text: string, hidden: string, length: number): boolean =>
  text === cut(hidden, length) || text === rounded(hidden, length);

const cut = (digits: string, length: number): string => digits.slice(0, length);

const rounded = (digits: string, length: number): string =>
  Number(digits[length] ?? 0) < 5 ? cut(digits, length) : String(BigInt(cut(digits, length)) + 1n);

/** Significant digits, without zeros before and behind them. */
function leading(value: Decimal | null): string {
  if (value === null) return '';
  return String(value.digits < 0n ? -value.digits : value.digits).replace(/0+$/, '');
}

function decoded(text: string, depth: number): string[] {
  if (depth === 0) return [text];
  const inner = [
    ...[...text.matchAll(BASE64)].map(([run]) => Buffer.from(run, 'base64').toString('latin1')),
    ...[...text.matchAll(HEX)].map(([run]) => Buffer.from(run, 'hex').toString('latin1')),
  ];
  return [text, ...inner.flatMap((each) => decoded(each, depth - 1))];
}
