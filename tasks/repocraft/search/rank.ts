/** A row of the vector table and its similarity to the query. */
export interface Ranked {
  row: number;
  score: number;
}

/**
 * The `top` rows closest to the query by dot product, best first; equal scores in row order. With rows of unit length that
 * is the cosine for a query of unit length, and the mean of cosines for a mean of such. A row may have several vectors, one
 * behind the other (`views`): the closest one counts.
 */
export function closestRows(
  query: Float32Array,
  table: Float32Array,
  { top, views = 1 }: { top: number; views?: number },
): Ranked[] {
  const width = query.length;
  const best: Ranked[] = [];
  for (let row = 0, start = 0; start < table.length && width > 0; row += 1) {
    let score = -1;
    for (let view = 0; view < views; view += 1, start += width) score = Math.max(score, dot(query, table, start));
    const isAmong = best.length < top || score > (best.at(-1)?.score ?? Infinity);
    if (!isAmong) continue;
    best.push({ row, score });
    best.sort((a, b) => b.score - a.score || a.row - b.row).splice(top);
  }
  return best;
}

/**
 * The `top` entries closest to a query. Their vectors are counted, not assumed: a candidate that an earlier version prepared has one
 * an entry.
 */
export function closestEntries(
  query: Float32Array,
  { entries, table }: { entries: readonly unknown[]; table: Float32Array },
  top: number,
): Ranked[] {
  return closestRows(query, table, { top, views: table.length / (entries.length * (query.length || 1)) });
}

/** Four sums side by side: additions to one would wait for each other, and this is most of what a search costs. */
function dot(query: Float32Array, table: Float32Array, start: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let k = 0;
  for (let at = start; k + 3 < query.length; k += 4, at += 4) {
    a += (query[k] as number) * (table[at] as number);
    b += (query[k + 1] as number) * (table[at + 1] as number);
    c += (query[k + 2] as number) * (table[at + 2] as number);
    d += (query[k + 3] as number) * (table[at + 3] as number);
  }
  for (; k < query.length; k += 1) a += (query[k] as number) * (table[start + k] as number);
  return a + b + c + d;
}
