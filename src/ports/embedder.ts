/** Text embeddings. Vectors have unit length, so cosine similarity is the dot product. */
export interface Embedder {
  /** Identifies model and preprocessing, e.g. `all-MiniLM-L6-v2-int8@<sha>`; part of every cache key. */
  readonly id: string;
  /** Dimensions of a vector (384 for MiniLM). */
  readonly dimensions: number;
  /** One vector a text, in order. Cached by text hash, never stale. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}
