import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Bytes of a text's hash in a record. */
const KEY_BYTES = 32;
/** More segments than this are rewritten as one when the store is opened. */
const SEGMENTS_KEPT = 64;

/**
 * Vectors by text hash, kept in a folder as immutable segment files of fixed-size records (hash, then 32-bit floats).
 * Several processes may write at once: each adds its own segments. A segment of the wrong size is ignored, never trusted.
 */
export class VectorStore {
  readonly #folder: string;
  readonly #dimensions: number;
  readonly #vectors: Map<string, Float32Array>;

  private constructor(folder: string, dimensions: number, vectors: Map<string, Float32Array>) {
    this.#folder = folder;
    this.#dimensions = dimensions;
    this.#vectors = vectors;
  }

  static async open(folder: string, dimensions: number): Promise<VectorStore> {
    await mkdir(folder, { recursive: true });
    const names = (await readdir(folder)).filter((name) => name.endsWith('.vectors'));
    const store = new VectorStore(folder, dimensions, new Map());
    for (const name of names) store.#load(await readFile(path.join(folder, name)));
    if (names.length > SEGMENTS_KEPT) await store.#compact(names);
    return store;
  }

  /** `key`: lower-case hex sha-256 of the text. */
  get(key: string): Float32Array | undefined {
    return this.#vectors.get(key);
  }

  async add(vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    for (const [key, vector] of vectors) this.#vectors.set(key, vector);
    if (vectors.size > 0) await this.#write(vectors);
  }

  #load(segment: Buffer): void {
    const record = KEY_BYTES + this.#dimensions * 4;
    if (segment.length % record !== 0) return;
    for (let offset = 0; offset < segment.length; offset += record) {
      const key = segment.subarray(offset, offset + KEY_BYTES).toString('hex');
      // Copied: typed arrays need aligned memory of their own.
      const floats = Uint8Array.from(segment.subarray(offset + KEY_BYTES, offset + record));
      this.#vectors.set(key, new Float32Array(floats.buffer));
    }
  }

  async #write(vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    const parts: Uint8Array[] = [];
    for (const [key, vector] of vectors) {
      parts.push(Buffer.from(key, 'hex'), new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
    }
    const name = path.join(this.#folder, randomBytes(12).toString('hex'));
    await writeFile(`${name}.part`, Buffer.concat(parts));
    await rename(`${name}.part`, `${name}.vectors`);
  }

  /** Everything once more in one segment, then the old ones go; a crash between leaves duplicates, which do no harm. */
  async #compact(names: string[]): Promise<void> {
    await this.#write(this.#vectors);
    await Promise.all(names.map((name) => rm(path.join(this.#folder, name), { force: true })));
  }
}
