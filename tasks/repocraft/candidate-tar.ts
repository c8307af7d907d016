import { Readable } from 'node:stream';
import { extract } from 'tar-stream';

export { packFiles as packTree } from './dataset/packed-files.js';

/** Files of a tree: relative path with forward slashes → content. `packTree` makes its normalised tar. */
export type Tree = ReadonlyMap<string, Uint8Array>;

/** One file of a candidate's tar as text; null when it is not in there. */
export async function readTarFile(tar: Uint8Array, path: string): Promise<string | null> {
  const reader = Readable.from([tar]).pipe(extract());
  for await (const entry of reader) {
    if (entry.header.name === path) {
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    }
    entry.resume();
  }
  return null;
}
