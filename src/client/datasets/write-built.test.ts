import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryBlobs } from '../../fakes/memory-blobs.js';
import { writeBuilt } from './write-built.js';

let suiteFolder: string;
const blobs = createMemoryBlobs();
const path = 'dataset/a.lock.json';

beforeEach(async () => (suiteFolder = await mkdtemp(join(tmpdir(), 'built-'))));
afterEach(() => rm(suiteFolder, { recursive: true }));

async function blobOf(text: string): Promise<string> {
  return (await blobs.put(text, { name: 'lock', mediaType: 'application/json' })).sha256;
}

describe('what a build made', () => {
  it('lies in its suite folder, and nothing else', async () => {
    const written = await writeBuilt([{ path, sha256: await blobOf('{}') }], { blobs, folder: suiteFolder });
    expect(written).toEqual([join(suiteFolder, path)]);
    expect(await readFile(join(suiteFolder, path), 'utf8')).toBe('{}');
    expect(await readdir(join(suiteFolder, 'dataset'))).toEqual(['a.lock.json']);
  });

  it('is not written again where it is as it was', async () => {
    const file = { path, sha256: await blobOf('{}') };
    await writeBuilt([file], { blobs, folder: suiteFolder });
    const before = await stat(join(suiteFolder, path));
    await writeBuilt([file], { blobs, folder: suiteFolder });
    expect((await stat(join(suiteFolder, path))).ino).toBe(before.ino);
  });

  it('is the old file or the new one for whoever reads meanwhile, never half of one', async () => {
    const texts = [1, 2].map((n) => `${n}`.repeat(1_000_000));
    const hashes = await Promise.all(texts.map(blobOf));
    await writeBuilt([{ path, sha256: hashes[0]! }], { blobs, folder: suiteFolder });
    let isBuilding = true;
    const building = (async () => {
      for (let n = 1; n < 30; n += 1)
        await writeBuilt([{ path, sha256: hashes[n % 2]! }], { blobs, folder: suiteFolder });
      isBuilding = false;
    })();
    while (isBuilding) expect(texts).toContain(await readFile(join(suiteFolder, path), 'utf8'));
    await building;
  });

  it.each(['../outside.json', 'dataset/../../outside.json', '/etc/outside.json'])(
    'is refused as %s',
    async (outside) => {
      const sha256 = await blobOf('{}');
      await expect(writeBuilt([{ path: outside, sha256 }], { blobs, folder: suiteFolder })).rejects.toThrow(
        /outside its folder/,
      );
    },
  );

  it('leaves the old file where its bytes are gone', async () => {
    await writeBuilt([{ path, sha256: await blobOf('{}') }], { blobs, folder: suiteFolder });
    await expect(writeBuilt([{ path, sha256: 'f'.repeat(64) }], { blobs, folder: suiteFolder })).rejects.toThrow();
    expect(await readFile(join(suiteFolder, path), 'utf8')).toBe('{}');
  });
});
