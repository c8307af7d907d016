import type { Readable } from 'node:stream';
import type { EvidenceRef } from '../contract/evidence.js';

/** What a blob is called; the hash and size come from the bytes. */
export interface BlobLabel {
  name: string;
  mediaType: string;
  truncated?: boolean;
}

/** Content-addressed bytes (sha-256). Writes are atomic and idempotent; bytes are on disk before `put` resolves. */
export interface Blobs {
  put(bytes: Uint8Array | string, label: BlobLabel): Promise<EvidenceRef>;
  /** Streams to disk; for evidence too large for memory. */
  putStream(stream: Readable, label: BlobLabel): Promise<EvidenceRef>;
  /** Verifies the hash while reading. Fails with `blobs.unavailable` when the blob is absent or damaged. */
  get(sha256: string): Promise<Buffer>;
  /**
   * The same as a stream, for what is too large for memory: it fails at its end where the bytes are others. Fails at once where
   * the blob is absent.
   */
  open(sha256: string): Promise<Readable>;
  has(sha256: string): Promise<boolean>;
  /** A derived result by key (parsed candidate, index, extracted task): what was `remember`ed, or null. Keys include the recipe's version. */
  recall(key: string): Promise<EvidenceRef | null>;
  remember(key: string, ref: EvidenceRef): Promise<void>;
}
