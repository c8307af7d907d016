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
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk as Uint8Array);
    const { name, type, linkname } = entry.header;
    const isLink = type === 'symlink' || type === 'link';
    const link = isLink ? { to: linkname ?? '', isHard: type === 'link' } : null;
    if (isLink || type === 'file' || type === 'contiguous-file') {
      entries.push({ name, content: Buffer.concat(chunks), link });
    }
  }
  return entries;
}
