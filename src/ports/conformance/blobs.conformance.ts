import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Blobs } from '../blobs.js';

const TEXT = { name: 'note.txt', mediaType: 'text/plain; charset=utf-8' };
// printf 'hello' | sha256sum
const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const ABSENT = '0'.repeat(64);

/** What every blob store must do. */
export function blobsConformance(name: string, create: () => Promise<Blobs>): void {
  describe(`blobs: ${name}`, () => {
    it('names bytes by their sha-256 and gives them back', async () => {
      const blobs = await create();
      const ref = await blobs.put('hello', TEXT);
      expect(ref).toEqual({ sha256: HELLO, sizeBytes: 5, ...TEXT, truncated: false });
      expect((await blobs.get(HELLO)).toString('utf8')).toBe('hello');
      expect(await blobs.has(HELLO)).toBe(true);
    });

    it('counts bytes, not characters, and keeps the label’s truncation mark', async () => {
      const blobs = await create();
      const ref = await blobs.put('é', { ...TEXT, truncated: true });
      expect(ref).toMatchObject({ sizeBytes: 2, truncated: true });
    });

    it('stores equal bytes once, whatever they are called and however often', async () => {
      const blobs = await create();
      const refs = await Promise.all(
        Array.from({ length: 20 }, (_, index) => blobs.put('hello', { ...TEXT, name: `note-${index}` })),
      );
      expect(new Set(refs.map((ref) => ref.sha256))).toEqual(new Set([HELLO]));
      expect((await blobs.get(HELLO)).toString('utf8')).toBe('hello');
    });

    it('streams to the same name as put, across chunks and for binary bytes', async () => {
      const blobs = await create();
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256));
      const chunks = [bytes.subarray(0, 7), bytes.subarray(7, 65_536), bytes.subarray(65_536)];
      const streamed = await blobs.putStream(Readable.from(chunks), { name: 'b', mediaType: 'application/x-tar' });
      expect(streamed).toEqual(await blobs.put(bytes, { name: 'b', mediaType: 'application/x-tar' }));
      expect((await blobs.get(streamed.sha256)).equals(bytes)).toBe(true);
    });

    it('keeps empty bytes', async () => {
      const blobs = await create();
      const { sha256, sizeBytes } = await blobs.put('', TEXT);
      expect(sizeBytes).toBe(0);
      expect((await blobs.get(sha256)).byteLength).toBe(0);
    });

    it('does not share memory with what was put or given', async () => {
      const blobs = await create();
      const bytes = Buffer.from('hello');
      await blobs.put(bytes, TEXT);
      bytes[0] = 0;
      (await blobs.get(HELLO))[1] = 0;
      expect((await blobs.get(HELLO)).toString('utf8')).toBe('hello');
    });

    it('stores nothing of a stream that breaks', async () => {
      const blobs = await create();
      const broken = Readable.from(
        (async function* () {
          yield Buffer.from('hello');
          throw new Error('cut');
        })(),
      );
      await expect(blobs.putStream(broken, TEXT)).rejects.toThrow('cut');
      expect(await blobs.has(HELLO)).toBe(false);
    });

    it('gives bytes back as a stream, once whole, and fails at once for what it does not have', async () => {
      const blobs = await create();
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 253));
      const { sha256 } = await blobs.put(bytes, { name: 'large.bin', mediaType: 'application/octet-stream' });
      const chunks: Buffer[] = [];
      for await (const chunk of await blobs.open(sha256)) chunks.push(chunk as Buffer);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
      await expect(blobs.open('0'.repeat(64))).rejects.toMatchObject({ type: 'blobs.missing' });
    });

    it('fails with blobs.missing for what it does not have', async () => {
      const blobs = await create();
      await expect(blobs.get(ABSENT)).rejects.toMatchObject({ name: 'DomainFailure', type: 'blobs.missing' });
      expect(await blobs.has(ABSENT)).toBe(false);
    });

    it('recalls what was remembered last under a key, and nothing else', async () => {
      const blobs = await create();
      const first = await blobs.put('first', TEXT);
      const second = await blobs.put('second', TEXT);
      expect(await blobs.recall('index@1/../../etc')).toBeNull();
      await blobs.remember('index@1/../../etc', first);
      await blobs.remember('index@1/../../etc', second);
      expect(await blobs.recall('index@1/../../etc')).toEqual(second);
      expect(await blobs.recall('index@2')).toBeNull();
    });

    it('does not recall a result whose bytes are gone', async () => {
      const blobs = await create();
      await blobs.remember('index', { sha256: ABSENT, sizeBytes: 1, ...TEXT, truncated: false });
      expect(await blobs.recall('index')).toBeNull();
    });
  });
}
