import { mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { blobsConformance } from '../../ports/conformance/blobs.conformance.js';
import { createFileBlobs, type FileBlobs } from './file-blobs.js';

const TEXT = { name: 'note.txt', mediaType: 'text/plain' };
const folders: string[] = [];

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'durabench-blobs-'));
  folders.push(folder);
  return folder;
}

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

blobsConformance('in a folder', async () => createFileBlobs({ folder: await freshFolder() }));

describe('file blobs', () => {
  it('lays blobs out by the first two digits of the hash and leaves no scratch file', async () => {
    const folder = await freshFolder();
    const blobs = createFileBlobs({ folder });
    const { sha256 } = await blobs.put('hello', TEXT);
    expect((await stat(join(folder, 'sha256', sha256.slice(0, 2), sha256))).size).toBe(5);
    expect(await readdir(join(folder, 'scratch'))).toEqual([]);
  });

  it('notices bytes that changed on disk, and repairs a cut file when the bytes are put again', async () => {
    const folder = await freshFolder();
    const blobs = createFileBlobs({ folder });
    const { sha256 } = await blobs.put('hello', TEXT);
    const path = join(folder, 'sha256', sha256.slice(0, 2), sha256);
    await writeFile(path, 'hellO');
    await expect(blobs.get(sha256)).rejects.toMatchObject({ type: 'blobs.unavailable', message: /damaged/ });
    const reading = blobs.open(sha256).then((stream) => stream.toArray());
    await expect(reading).rejects.toMatchObject({ type: 'blobs.unavailable', message: /damaged/ });
    await truncate(path, 2);
    await blobs.put('hello', TEXT);
    expect((await blobs.get(sha256)).toString()).toBe('hello');
  });

  it('refuses a name that is not a hash before it becomes a path', async () => {
    const blobs = createFileBlobs({ folder: await freshFolder() });
    await expect(blobs.get('../../../etc/passwd')).rejects.toMatchObject({ type: 'blobs.unavailable' });
  });

  it('collects old garbage only: referenced, remembered and young blobs stay', async () => {
    const folder = await freshFolder();
    const blobs = createFileBlobs({ folder });
    const put = (text: string) => blobs.put(text, TEXT);
    const [referenced, remembered, young, garbage] = await Promise.all(['a', 'b', 'c', 'd'].map(put));
    await blobs.remember('derived', remembered!);
    for (const ref of [referenced!, remembered!, garbage!]) await age(folder, ref.sha256, 25);
    expect(await blobs.collectGarbage([referenced!.sha256])).toEqual({
      removedBlobs: 1,
      removedBytes: 1,
      keptBlobs: 3,
    });
    expect(await present(blobs, [referenced!, remembered!, young!, garbage!])).toEqual([true, true, true, false]);
  });

  it('spares a blob that was put again during its day of grace', async () => {
    const folder = await freshFolder();
    const blobs = createFileBlobs({ folder });
    const { sha256 } = await blobs.put('again', TEXT);
    await age(folder, sha256, 25);
    await blobs.put('again', TEXT);
    await blobs.collectGarbage([]);
    expect(await blobs.has(sha256)).toBe(true);
  });

  it('removes what a writer left that died in the middle', async () => {
    const folder = await freshFolder();
    const blobs = createFileBlobs({ folder });
    await blobs.put('x', TEXT);
    await writeFile(join(folder, 'scratch', 'left'), 'half');
    await blobs.collectGarbage([], { olderThanMs: -1_000 });
    expect(await readdir(join(folder, 'scratch'))).toEqual([]);
  });
});

async function age(folder: string, sha256: string, hours: number): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000);
  await utimes(join(folder, 'sha256', sha256.slice(0, 2), sha256), then, then);
}

async function present(blobs: FileBlobs, refs: { sha256: string }[]): Promise<boolean[]> {
  return Promise.all(refs.map((ref) => blobs.has(ref.sha256)));
}
