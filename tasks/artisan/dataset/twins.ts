import type { Alteration } from './study-schema.js';

/**
 * Alters a table of data: lines of fields between blanks or commas below a header. The same seed alters the same text alike, for ever.
 * @throws Error where the text has no such rows or fields
 */
export function altered(text: string, alteration: Alteration): string {
  const [header = '', ...rows] = text.split('\n').filter((line) => line.trim() !== '');
  const random = randomOf(alteration.seed);
  if ('drop' in alteration) {
    if (alteration.drop >= rows.length) throw new Error(`${alteration.file} has ${rows.length} rows`);
    const dropped = new Set(drawn(rows.length, alteration.drop, random));
    return joined(
      header,
      rows.filter((_, index) => !dropped.has(index)),
    );
  }
  if ('swap' in alteration) {
    const { field, share } = alteration.swap;
    const places = drawn(rows.length, Math.max(2, Math.round(rows.length * share)), random);
    const labels = places.map((place) => fieldOf(rows[place] ?? '', field));
    // Every one goes to another of the rows.
    places.forEach((place, index) => {
      rows[place] = withField(rows[place] ?? '', field, labels[(index + 1) % labels.length] ?? '');
    });
    return joined(header, rows);
  }
  const { field, by, decimals } = alteration.jitter;
  return joined(
    header,
    rows.map((row) => withField(row, field, (Number(fieldOf(row, field)) + (2 * random() - 1) * by).toFixed(decimals))),
  );
}

const joined = (header: string, rows: readonly string[]): string => [header, ...rows, ''].join('\n');

/** Between blanks, or commas. */
const FIELD = /[^\s,]+/g;

function fieldOf(row: string, field: number): string {
  const found = row.match(FIELD)?.[field - 1];
  if (found === undefined) throw new Error(`"${row.trim()}" has no field ${field}`);
  return found;
}

function withField(row: string, field: number, value: string): string {
  let count = 0;
  return row.replace(FIELD, (found) => ((count += 1) === field ? value : found));
}

/** So many different numbers below `count`, in the order drawn. */
function drawn(count: number, wanted: number, random: () => number): number[] {
  const left = Array.from({ length: count }, (_, index) => index);
  return Array.from(
    { length: Math.min(wanted, count) },
    () => left.splice(Math.floor(random() * left.length), 1)[0] ?? 0,
  );
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
