/** A row of the vector table and its cosine similarity to the query. */
export interface Ranked {
  row: number;
  score: number;
}

/** The `top` rows closest to the query, best first; equal scores in row order. All vectors have unit length, so cosine is the dot product. */
export function closestRows(query: Float32Array, table: Float32Array, top: number): Ranked[] {
  const width = query.length;
  const ranked: Ranked[] = [];
  for (let row = 0; row * width < table.length; row += 1) {
    let score = 0;
    for (let k = 0; k < width; k += 1) score += (query[k] ?? 0) * (table[row * width + k] ?? 0);
    ranked.push({ row, score });
  }
  return ranked.sort((a, b) => b.score - a.score || a.row - b.row).slice(0, top);
}
