import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { sha256Hex } from '../../domain/text/content-hash.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { isDiskFull } from '../../domain/failure/system-words.js';
import type { EvidenceRef } from '../../contract/evidence.js';
import { parsedJson } from '../../domain/text/parsed-json.js';
import type { BlobLabel, Blobs } from '../../ports/blobs.js';
import { collectGarbage, type GarbageReport } from './garbage.js';

/** Blobs in a folder, and what only a folder needs. */
export interface FileBlobs extends Blobs {
  /**
   * Mark and sweep: removes blobs that are neither referenced nor remembered, and scratch files of writers that died,
   * all only when older than `olderThanMs` (default 24 h: a blob is written before the row that refers to it). Blobs that another
   * database refers to are garbage to this one.
   */
  collectGarbage(
    referenced: Iterable<string>,
    options?: { olderThanMs?: number; isDryRun?: boolean },
  ): Promise<GarbageReport>;
}

/**
 * Blob store `<folder>/sha256/ab/<hash>`, beside it `<folder>/derived/` for remembered results and `<folder>/scratch/`
 * for unfinished writes. Several processes may share the folder.
 */
export function createFileBlobs({ folder }: { folder: string }): FileBlobs {
  const pathOf = (sha256: string): string => blobPath(folder, sha256);

  return {
    async put(bytes, label) {
      const buffer = typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes;
      const sha256 = sha256Hex(buffer);
      if (!(await isKept(pathOf(sha256), buffer.byteLength))) {
        await writeAtomically(folder, pathOf(sha256), async (file) => file.writeFile(buffer));
      }
      return reference(label, sha256, buffer.byteLength);
    },

    async putStream(stream, label) {
      const hash = createHash('sha256');
      let sizeBytes = 0;
      const written = await writeScratch(folder, async (file) => {
        for await (const chunk of stream as AsyncIterable<Uint8Array | string>) {
          const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
          hash.update(bytes);
          sizeBytes += bytes.byteLength;
          await file.writeFile(bytes);
        }
      });
      const sha256 = hash.digest('hex');
      await moveIntoPlace(written, pathOf(sha256));
      return reference(label, sha256, sizeBytes);
    },

    async get(sha256) {
      const bytes = await readFile(pathOf(sha256)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? missing(sha256, folder, error) : unavailable(sha256, error.message, error);
      });
      if (sha256Hex(bytes) !== sha256) throw unavailable(sha256, `its file ${pathOf(sha256)} is damaged`);
      return bytes;
    },

    async open(sha256) {
      const file = await open(pathOf(sha256), 'r').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? missing(sha256, folder, error) : unavailable(sha256, error.message, error);
      });
      return Readable.from(verified(file.createReadStream(), sha256, pathOf(sha256)), { objectMode: false });
    },

    async has(sha256) {
      return (await sizeOf(pathOf(sha256))) !== undefined;
    },

    async recall(key) {
      const text = await readFile(derivedPath(folder, key), 'utf8').catch(() => undefined);
      const entry = text === undefined ? undefined : parseEntry(text);
      if (entry === undefined || entry.key !== key || (await sizeOf(pathOf(entry.ref.sha256))) === undefined)
        return null;
      await touch(derivedPath(folder, key)); // what is used is kept by the garbage collection
      return entry.ref;
    },

    async remember(key, ref) {
      const text = JSON.stringify({ key, ref });
      await writeAtomically(folder, derivedPath(folder, key), async (file) => file.writeFile(text));
    },

    collectGarbage: (referenced, options) => collectGarbage({ folder, referenced, ...options }),
  };
}

async function* verified(bytes: Readable, sha256: string, path: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw unavailable(sha256, `its file ${path} is damaged`);
}

function blobPath(folder: string, sha256: string): string {
  // The hash becomes a path, so nothing else may pass.
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw unavailable(sha256, 'that is not a sha-256');
  return join(folder, 'sha256', sha256.slice(0, 2), sha256);
}

function derivedPath(folder: string, key: string): string {
  const name = sha256Hex(key);
  return join(folder, 'derived', name.slice(0, 2), `${name}.json`);
}

function reference(label: BlobLabel, sha256: string, sizeBytes: number): EvidenceRef {
  return { sha256, sizeBytes, mediaType: label.mediaType, name: label.name, truncated: label.truncated ?? false };
}

/** The bytes are on disk, under their final name, when this resolves; a reader never sees half of them. */
async function writeAtomically(
  folder: string,
  path: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  await moveIntoPlace(await writeScratch(folder, write), path);
}

async function writeScratch(folder: string, write: (file: FileHandle) => Promise<void>): Promise<string> {
  const scratch = join(folder, 'scratch', randomBytes(12).toString('hex'));
  await mkdir(dirname(scratch), { recursive: true });
  const file = await open(scratch, 'wx', 0o644);
  try {
    await write(file);
    await file.sync();
  } catch (error) {
    await rm(scratch, { force: true });
    throw isDiskFull(error) ? full(folder, error) : error;
  } finally {
    await file.close();
  }
  return scratch;
}

async function moveIntoPlace(scratch: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rename(scratch, path);
  // The name must be on disk too: a row that outlives a power cut must not refer to a blob that did not.
  const directory = await open(dirname(path), 'r');
  await directory.sync().finally(() => directory.close());
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    (found) => found.size,
    () => undefined,
  );
}

/** Whether the blob is there, whole and, having been made young first, safe from a garbage collection. */
async function isKept(path: string, sizeBytes: number): Promise<boolean> {
  await touch(path);
  return (await sizeOf(path)) === sizeBytes;
}

/** Makes the file young again, so that a garbage collection under way spares it. */
async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

/** Undefined where it is damaged: a derived result can always be made again. */
const parseEntry = (text: string) => parsedJson(text) as { key: string; ref: EvidenceRef } | undefined;

function missing(sha256: string, folder: string, cause: unknown): DomainFailure {
  return new DomainFailure(
    'blobs.missing',
    {
      message: `blob ${sha256} is not in the blob store ${folder}`,
      expected: 'one blob store for all workers of an installation',
      fix: 'name it for every worker (DURABENCH_BLOBS), or bring the blobs of the campaign into this one',
    },
    { cause },
  );
}

function unavailable(sha256: string, why: string, cause?: unknown): DomainFailure {
  return new DomainFailure('blobs.unavailable', `Blob ${sha256.slice(0, 80)} cannot be read: ${why}`, { cause });
}

function full(folder: string, cause: unknown): DomainFailure {
  return new DomainFailure('blobs.unavailable', `The disk of the blob store ${folder} is full`, { cause });
}
