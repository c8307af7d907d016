import { Readable } from 'node:stream';
import type { EvidenceRef } from '../contract/evidence.js';
import { sha256Hex } from '../domain/text/content-hash.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import type { BlobLabel, Blobs } from '../ports/blobs.js';

/** Blobs in memory, for tests and dry runs. */
export function createMemoryBlobs(): Blobs {
  const blobs = new Map<string, Buffer>();
  const derived = new Map<string, EvidenceRef>();

  const put = async (bytes: Uint8Array | string, label: BlobLabel): Promise<EvidenceRef> => {
    const copy = Buffer.from(bytes as Uint8Array);
    const sha256 = sha256Hex(copy);
    blobs.set(sha256, copy);
    const { mediaType, name, truncated = false } = label;
    return { sha256, sizeBytes: copy.byteLength, mediaType, name, truncated };
  };

  const get = async (sha256: string): Promise<Buffer> => {
    const bytes = blobs.get(sha256);
    if (bytes === undefined) throw new DomainFailure('blobs.missing', `blob ${sha256} is not in the blob store`);
    return Buffer.from(bytes);
  };

  return {
    put,
    get,
    open: async (sha256) => Readable.from([await get(sha256)], { objectMode: false }),
    async putStream(stream, label) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Uint8Array | string>)
        chunks.push(Buffer.from(chunk as Uint8Array));
      return put(Buffer.concat(chunks), label);
    },
    has: async (sha256) => blobs.has(sha256),
    async recall(key) {
      const ref = derived.get(key);
      return ref !== undefined && blobs.has(ref.sha256) ? ref : null;
    },
    async remember(key, ref) {
      derived.set(key, ref);
    },
  };
}
