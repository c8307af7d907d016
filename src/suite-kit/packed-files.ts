import tar from 'tar-stream';
import { sha256Hex } from '../domain/text/content-hash.js';
import { FIXED_FILE_TIME } from '../domain/fixed-file-time.js';
import type { Blobs } from '../ports/blobs.js';
import type { ContentMount } from '../ports/sandbox.js';
import { readTarEntries } from './tar-entries.js';

/** Files of a tree: relative path with forward slashes → content. */
export type Tree = ReadonlyMap<string, Uint8Array>;

/** An uncompressed tar of a tree, byte for byte the same for the same files: sorted, one fixed time, no owners. */
export async function packFiles(files: Tree): Promise<Buffer> {
  const pack = tar.pack();
  for (const name of [...files.keys()].sort()) {
    pack.entry({ name, mode: 0o644, mtime: FIXED_FILE_TIME, uid: 0, gid: 0 }, Buffer.from(files.get(name) ?? []));
  }
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The files of a stored tar: path → content, empty for links. @throws Error for what is no tar, as {@link readTarEntries} does */
export async function unpackFiles(blobs: Pick<Blobs, 'get'>, sha256: string): Promise<Map<string, Uint8Array>> {
  const entries = await readTarEntries(await blobs.get(sha256));
  return new Map(entries.map(({ name, content }) => [name, content]));
}

/** Such a tar as content of a sandbox run. */
export function packedTar(packed: Buffer): Omit<ContentMount, 'path'> {
  return { sha256: sha256Hex(packed), load: async () => packed };
}

/** Those files as a read-only mount of a sandbox run. */
export async function mountedFiles(files: Tree, path: string): Promise<ContentMount> {
  return { ...packedTar(await packFiles(files)), path };
}
