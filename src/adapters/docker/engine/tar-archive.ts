import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { FIXED_FILE_TIME } from '../../../domain/fixed-file-time.js';

/** An uncompressed tar of files, byte for byte the same for the same files: sorted, one fixed time, no owners. */
export async function packTar(files: Record<string, Uint8Array | string>): Promise<Buffer> {
  const pack = tar.pack();
  for (const name of Object.keys(files).sort()) {
    const bytes = files[name] ?? '';
    pack.entry({ name, mode: 0o644, mtime: FIXED_FILE_TIME, uid: 0, gid: 0 }, Buffer.from(bytes as Uint8Array));
  }
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A tar of all files of a folder of the host, below `prefix`, as it is read. What can be executed stays so; links are left out. */
export async function packFolder(folder: string, prefix: string): Promise<NodeJS.ReadableStream> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const pack = tar.pack();
  void addFiles(pack, paths.sort(), (path) => `${prefix}/${path.slice(folder.length + 1)}`).catch((error: Error) =>
    pack.destroy(error),
  );
  return pack as unknown as NodeJS.ReadableStream;
}

async function addFiles(pack: tar.Pack, paths: string[], nameOf: (path: string) => string): Promise<void> {
  for (const path of paths) {
    const { size, mode } = await stat(path);
    const header = { name: nameOf(path), size, mode: (mode & 0o111) === 0 ? 0o644 : 0o755, mtime: FIXED_FILE_TIME };
    await pipeline(createReadStream(path), pack.entry(header));
  }
  pack.finalize();
}

/** The files of a tar by their names, without a leading `./`; links and other than files are left out. */
export async function unpackTar(bytes: Uint8Array): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  for await (const entry of Readable.from([bytes]).pipe(tar.extract())) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    if (entry.header.type === 'file') files[entry.header.name.replace(/^\.\//, '')] = Buffer.concat(chunks);
  }
  return files;
}
