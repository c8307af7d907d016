import type { Column } from '../judge/table.js';

/** Of Student's t with 9 degrees of freedom, 99.95 %: both tails together leave one run in a thousand outside. */
const T_9 = 4.781;

/**
 * A value of the reference's on altered data, as precise as the paper prints the cell, or two digits more than are compared: who
 * computes it otherwise must not fail for digits that nobody asked for.
 */
export function rounded(text: string, { column, printed }: { column: Column; printed: string }): string {
  const { type, tolerance } = column;
  if (type === 'text' || type === 'integer' || type === 'interval') return text;
  const value = numberOf(text);
  if (!Number.isFinite(value)) return text;
  if (type === 'p-value' && text.trim().startsWith('<')) return text;
  // Below what the paper prints as a bound nobody is asked for more.
  if (type === 'p-value' && printed.trim().startsWith('<') && value < numberOf(printed)) return printed;
  if (tolerance !== undefined && 'significant' in tolerance) return value.toPrecision(tolerance.significant + 2);
  const [, mantissa = '', exponent] = /^[^\d.]*([\d,]*\.?\d*)(?:[eE]([-+]?\d+))?/.exec(printed) ?? [];
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  if (exponent !== undefined) return value === 0 ? '0' : value.toExponential(Math.max(decimals, 2));
  const short = value.toFixed(decimals);
  return type === 'p-value' && Number(short) === 0 ? `<${unit(decimals)}` : short;
}

/** The mean of what several runs gave. */
export const meanOf = (texts: readonly string[]): string => `${mean(texts.map(numberOf))}`;

/** Where one more run falls, but for one in a thousand: around the mean of these ten, and no narrower than what is printed. */
export function intervalOf(texts: readonly string[], printed: string): { low: string; high: string } {
  const values = texts.map(numberOf);
  const middle = mean(values);
  const deviation = Math.sqrt(
    mean(values.map((value) => (value - middle) ** 2)) * (values.length / (values.length - 1)),
  );
  const decimals = (/\.(\d+)/.exec(printed)?.[1] ?? '').length;
  const half = T_9 * deviation * Math.sqrt(1 + 1 / values.length) + Number(unit(decimals)) / 2;
  return { low: (middle - half).toFixed(decimals + 1), high: (middle + half).toFixed(decimals + 1) };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const unit = (decimals: number): string => (10 ** -decimals).toFixed(decimals);

/** Of our own scripts' output: plain numbers. */
const numberOf = (text: string): number =>
  Number(
    text
      .trim()
      .replace('\u2212', '-')
      .replace(/^<\s*|%$/g, ''),
  );
