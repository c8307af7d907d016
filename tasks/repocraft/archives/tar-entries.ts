import { Readable } from 'node:stream';
import { extract } from 'tar-stream';

/** A file or link of an archive. */
export interface ArchiveEntry {
  name: string;
  content: Uint8Array;
  /** Where a link leads; null for files. */
  link: { to: string; isHard: boolean } | null;
}

/** Every file and link of a tar, in its order; folders, devices and pipes are left out. */
export async function readTarEntries(tar: Uint8Array): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    const content = await contentOf(entry);
    const { name, type, linkname } = entry.header;
    const isLink = type === 'symlink' || type === 'link';
    const link = isLink ? { to: linkname ?? '', isHard: type === 'link' } : null;
    if (isLink || type === 'file' || type === 'contiguous-file') {
      entries.push({ name, content, link });
    }
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
