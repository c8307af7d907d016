import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../domain/content-hash.js';
import { VectorStore } from './vector-store.js';

describe('VectorStore', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vectors-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const key = (n: number) => sha256Hex(`text ${n}`);
  const vector = (n: number) => Float32Array.from([n, n + 0.5]);

  it('finds what an earlier store wrote', async () => {
    const first = await VectorStore.open(folder, 2);
    await first.add(
      new Map([
        [key(1), vector(1)],
        [key(2), vector(2)],
      ]),
    );
    const second = await VectorStore.open(folder, 2);
    expect(second.get(key(2))).toEqual(vector(2));
    expect(second.get(key(3))).toBeUndefined();
  });

  it('ignores a segment that was cut short', async () => {
    await writeFile(path.join(folder, 'cut.vectors'), Buffer.alloc(41));
    const store = await VectorStore.open(folder, 2);
    expect(store.get('00'.repeat(32))).toBeUndefined();
  });

  it('rewrites many segments as one and keeps every vector', async () => {
    const store = await VectorStore.open(folder, 2);
    for (let n = 0; n < 70; n += 1) await store.add(new Map([[key(n), vector(n)]]));
    await VectorStore.open(folder, 2);
    expect(await readdir(folder)).toHaveLength(1);
    const again = await VectorStore.open(folder, 2);
    for (let n = 0; n < 70; n += 1) expect(again.get(key(n))).toEqual(vector(n));
  });
});
