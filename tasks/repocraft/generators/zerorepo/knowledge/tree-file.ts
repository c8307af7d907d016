import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { scanTree, type TreeTable } from './scan-tree.js';

/** A feature tree that is too large to become part of a campaign: where it lies, and what it was when it was planned. */
export const treeFile = z.strictObject({
  /** Absolute path, on the machine of the workers. */
  file: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  leaves: z.int().positive(),
});
type TreeFile = z.infer<typeof treeFile>;

/** Reads a tree of any size with the hash of its bytes, or says what is wrong with it. */
export async function readTreeFile(
  path: string,
  tick: () => void = () => undefined,
): Promise<{ table: TreeTable; sha256: string } | { problems: string[] }> {
  const hash = createHash('sha256');
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
      hash.update(piece as Uint8Array);
      tick();
      yield piece as Uint8Array;
    }
  }
  const table = await scanTree(pieces());
  return 'problems' in table ? table : { table, sha256: hash.digest('hex') };
}

/** What stands for a large file in a campaign. */
export async function largeTree(path: string): Promise<{ value: TreeFile } | { problems: string[] }> {
  const read = await readTreeFile(path);
  if ('problems' in read) return read;
  return { value: { file: path, sha256: read.sha256, leaves: read.table.leaves } };
}
