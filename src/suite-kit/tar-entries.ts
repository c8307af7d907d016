import { Readable } from 'node:stream';
import { extract } from 'tar-stream';

/** A file or link of an archive. */
export interface ArchiveEntry {
  name: string;
  content: Uint8Array;
  /** Where a link leads; null for files. */
  link: { to: string; isHard: boolean } | null;
}

/** What bytes become that are no UTF-8. */
export const UNREADABLE = '\ufffd';
/** Kinds of entries that are files; the last is an old word for one. */
const FILES = new Set<string | null | undefined>(['file', 'contiguous-file']);

/**
 * Every file and link of a tar, in its order; folders are left out.
 * @throws Error for what is no tar, and for what is in it and would silently be lost: devices, pipes, sparse files, names
 * that cannot be told apart once they are text
 */
export async function readTarEntries(tar: Uint8Array): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    const content = await contentOf(entry);
    const { name, type, linkname } = entry.header;
    if (name.includes(UNREADABLE)) throw new Error(`${name} is not named in UTF-8`);
    if (type === 'directory') continue;
    const isLink = type === 'symlink' || type === 'link';
    if (!isLink && !FILES.has(type)) throw new Error(`${name} is neither a file, a folder nor a link`);
    const link = isLink ? { to: linkname ?? '', isHard: type === 'link' } : null;
    entries.push({ name, content, link });
  }
  return entries;
}

/** One file of a tar as text; null when it is not in there. Unpacks nothing else. */
export async function readTarFile(tar: Uint8Array, path: string): Promise<string | null> {
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    if (entry.header.name === path) return (await contentOf(entry)).toString('utf8');
    entry.resume();
  }
  return null;
}

async function contentOf(entry: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
