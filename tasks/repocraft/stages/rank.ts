/** A row of the vector table and its cosine similarity to the query. */
export interface Ranked {
  row: number;
  score: number;
}

/**
 * The `top` rows closest to the query, best first; equal scores in row order. All vectors have unit length, so cosine is
 * the dot product. A row may have several vectors, one behind the other (`views`): the closest one counts.
 */
export function closestRows(
  query: Float32Array,
  table: Float32Array,
  { top, views = 1 }: { top: number; views?: number },
): Ranked[] {
  const width = query.length;
  const ranked: Ranked[] = [];
  for (let row = 0; row * width * views < table.length; row += 1) {
    let score = -1;
    for (let view = 0; view < views; view += 1) {
      const start = (row * views + view) * width;
      let cosine = 0;
      for (let k = 0; k < width; k += 1) cosine += (query[k] ?? 0) * (table[start + k] ?? 0);
      score = Math.max(score, cosine);
    }
    ranked.push({ row, score });
  }
  return ranked.sort((a, b) => b.score - a.score || a.row - b.row).slice(0, top);
}
