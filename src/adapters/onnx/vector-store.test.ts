import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../domain/text/content-hash.js';
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
    expect(await second.get([key(2), key(3)])).toEqual(new Map([[key(2), vector(2)]]));
  });

  it('ignores a segment that was cut short', async () => {
    await writeFile(path.join(folder, 'cut.vectors'), Buffer.alloc(41));
    const store = await VectorStore.open(folder, 2);
    expect((await store.get(['00'.repeat(32)])).size).toBe(0);
  });

  it('rewrites many segments as one and keeps every vector', async () => {
    const store = await VectorStore.open(folder, 2);
    for (let n = 0; n < 70; n += 1) await store.add(new Map([[key(n), vector(n)]]));
    await VectorStore.open(folder, 2);
    expect(await readdir(folder)).toHaveLength(1);
    const again = await VectorStore.open(folder, 2);
    await expectAll(again);
  });

  it('keeps few vectors in memory, whatever it has seen: the others are read from their files', async () => {
    const store = await VectorStore.open(folder, 2, 0);
    await store.add(new Map(all()));
    await expectAll(store);
    const [segment = ''] = await readdir(folder);
    await rm(path.join(folder, segment));
    expect((await store.get(all().map(([one]) => one))).size).toBe(1);
  });

  it('finds what another process has moved into one segment, or added, since it was opened', async () => {
    const store = await VectorStore.open(folder, 2, 0);
    for (const [one, value] of all()) await store.add(new Map([[one, value]]));
    const other = await VectorStore.open(folder, 2);
    await other.add(new Map([[key(70), vector(70)]]));
    expect(await readdir(folder)).toHaveLength(2);
    await expectAll(store);
    expect((await store.get([key(70)])).get(key(70))).toEqual(vector(70));
  });

  const all = (): [string, Float32Array][] => Array.from({ length: 70 }, (_, n) => [key(n), vector(n)]);

  async function expectAll(store: VectorStore): Promise<void> {
    expect(await store.get(all().map(([one]) => one))).toEqual(new Map(all()));
  }
});
