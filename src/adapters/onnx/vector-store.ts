import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';

/** Bytes of a text's hash in a record. */
const KEY_BYTES = 32;
/** Of a hash so much is kept in memory: two of a billion texts meet in it once in 10^20 cases. */
const SHORT_KEY_BYTES = 16;
/** More segments than this are rewritten as one when the store is opened. */
const SEGMENTS_KEPT = 64;
/** Records read at once while a segment is gone through. */
const RECORDS_READ = 1024;
/** Vectors kept in memory beside the files: what the tasks of a campaign ask for again and again. */
const MOST_BYTES = 16 * 1024 * 1024;
/** A typed array and its buffer occupy so much beside their floats (measured, Node 20). */
const VECTOR_OVERHEAD = 250;

/** Where a vector lies. */
interface Place {
  segment: string;
  /** Number of its record in the segment. */
  row: number;
}

/**
 * Vectors by text hash, kept in a folder as immutable segment files of fixed-size records (hash, then 32-bit floats).
 * Several processes may write at once: each adds its own segments. A segment of the wrong size is ignored, never trusted.
 * In memory is where each vector lies, some 100 bytes, and those that were asked for last.
 */
export class VectorStore {
  readonly #folder: string;
  readonly #dimensions: number;
  readonly #places = new Map<string, Place>();
  readonly #segments = new Set<string>();
  readonly #recent: LRUCache<string, Float32Array>;

  private constructor(folder: string, dimensions: number, mostBytes: number) {
    this.#folder = folder;
    this.#dimensions = dimensions;
    const size = dimensions * 4 + VECTOR_OVERHEAD;
    this.#recent = new LRUCache({ max: Math.max(1, Math.floor(mostBytes / size)) });
  }

  /** @param mostBytes of vectors that are kept in memory */
  static async open(folder: string, dimensions: number, mostBytes = MOST_BYTES): Promise<VectorStore> {
    await mkdir(folder, { recursive: true });
    const store = new VectorStore(folder, dimensions, mostBytes);
    await store.#look();
    if (store.#segments.size > SEGMENTS_KEPT) await store.#compact();
    return store;
  }

  /**
   * Those of the keys that there are.
   * @param keys lower-case hex sha-256 of texts
   */
  async get(keys: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    const wanted = await this.#read(keys, found);
    // Another process has made one segment of many: what they held is in it.
    if (wanted.length > 0) {
      await this.#look();
      await this.#read(wanted, found);
    }
    return found;
  }

  async add(vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    if (vectors.size === 0) return;
    const records = [...vectors].flatMap(([key, { buffer, byteOffset, byteLength }]) => [
      Buffer.from(key, 'hex'),
      new Uint8Array(buffer, byteOffset, byteLength),
    ]);
    const segment = await this.#write((file) => file.writeFile(Buffer.concat(records)));
    let row = 0;
    for (const [key, vector] of vectors) {
      this.#places.set(short(key), { segment, row });
      this.#recent.set(short(key), vector);
      row += 1;
    }
  }

  get #recordBytes(): number {
    return KEY_BYTES + this.#dimensions * 4;
  }

  /** @returns keys whose segment is gone */
  async #read(keys: readonly string[], found: Map<string, Float32Array>): Promise<string[]> {
    const gone: string[] = [];
    for (const [segment, rows] of this.#onDisk(keys, found)) {
      const file = await open(path.join(this.#folder, segment)).catch(() => null);
      if (file === null) {
        this.#forget(segment, rows);
        gone.push(...rows.map(({ key }) => key));
        continue;
      }
      try {
        for (const { key, row } of rows) this.#keep(key, await this.#vectorAt(file, row), found);
      } finally {
        await file.close();
      }
    }
    return gone;
  }

  /** The keys that are not in memory, by segment; the others are found. */
  #onDisk(keys: readonly string[], found: Map<string, Float32Array>): Map<string, { key: string; row: number }[]> {
    const bySegment = new Map<string, { key: string; row: number }[]>();
    for (const key of keys) {
      const known = this.#recent.get(short(key));
      if (known !== undefined) found.set(key, known);
      const place = known === undefined ? this.#places.get(short(key)) : undefined;
      if (place === undefined) continue;
      const rows = bySegment.get(place.segment) ?? [];
      rows.push({ key, row: place.row });
      bySegment.set(place.segment, rows);
    }
    return bySegment;
  }

  #keep(key: string, vector: Float32Array | null, found: Map<string, Float32Array>): void {
    if (vector === null) return;
    this.#recent.set(short(key), vector);
    found.set(key, vector);
  }

  #forget(segment: string, rows: readonly { key: string }[]): void {
    this.#segments.delete(segment);
    for (const { key } of rows) this.#places.delete(short(key));
  }

  async #vectorAt(file: FileHandle, row: number): Promise<Float32Array | null> {
    const floats = new Float32Array(this.#dimensions);
    const bytes = new Uint8Array(floats.buffer);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, row * this.#recordBytes + KEY_BYTES);
    return bytesRead === bytes.length ? floats : null;
  }

  /** Takes in the segments that are new to it. */
  async #look(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.vectors'));
    for (const segment of names.filter((name) => !this.#segments.has(name))) {
      this.#segments.add(segment);
      await this.#eachRecord(segment, (record, row) => {
        this.#places.set(record.toString('latin1', 0, SHORT_KEY_BYTES), { segment, row });
      });
    }
  }

  /** One that is gone meanwhile has no record. */
  async #eachRecord(segment: string, take: (record: Buffer, row: number) => unknown): Promise<void> {
    const file = await open(path.join(this.#folder, segment)).catch(() => null);
    if (file === null) return;
    try {
      const { size } = await file.stat();
      if (size % this.#recordBytes !== 0) return;
      const chunk = Buffer.allocUnsafe(RECORDS_READ * this.#recordBytes);
      for (let row = 0; row * this.#recordBytes < size;) {
        const { bytesRead } = await file.read(chunk, 0, chunk.length, row * this.#recordBytes);
        if (bytesRead < this.#recordBytes) return;
        for (let at = 0; at + this.#recordBytes <= bytesRead; at += this.#recordBytes, row += 1)
          await take(chunk.subarray(at, at + this.#recordBytes), row);
      }
    } finally {
      await file.close();
    }
  }

  /** @returns name of the segment */
  async #write(fill: (file: FileHandle) => Promise<unknown>): Promise<string> {
    const segment = `${randomBytes(12).toString('hex')}.vectors`;
    const part = path.join(this.#folder, `${segment}.part`);
    const file = await open(part, 'w');
    try {
      await fill(file);
    } finally {
      await file.close();
    }
    await rename(part, path.join(this.#folder, segment));
    this.#segments.add(segment);
    return segment;
  }

  /** Everything once more in one segment, then the old ones go; a crash between leaves duplicates, which do no harm. */
  async #compact(): Promise<void> {
    const old = [...this.#segments];
    const written = new Map<string, number>();
    const segment = await this.#write(async (file) => {
      for (const name of old)
        await this.#eachRecord(name, async (record) => {
          const key = record.toString('latin1', 0, SHORT_KEY_BYTES);
          if (written.has(key)) return;
          written.set(key, written.size);
          await file.write(record);
        });
    });
    for (const [key, row] of written) this.#places.set(key, { segment, row });
    for (const name of old) this.#segments.delete(name);
    await Promise.all(old.map((name) => rm(path.join(this.#folder, name), { force: true })));
  }
}

/** A hash as it is kept in memory. */
const short = (hex: string): string => Buffer.from(hex, 'hex').toString('latin1', 0, SHORT_KEY_BYTES);
