import type { Blobs } from '../../../src/ports/blobs.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';

/** The files of the tar that `generate` left. */
export async function candidateFiles(blobs: Pick<Blobs, 'get'>, sha256: string): Promise<Tree> {
  const entries = await readTarEntries(await blobs.get(sha256));
  return new Map(entries.map(({ name, content }) => [name, content]));
}
