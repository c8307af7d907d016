import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unwritable } from '../../domain/failure/unwritable.js';

/** A file that was written. */
export interface ExportedFile {
  path: string;
  bytes: number;
}

type Write = (piece: string) => Promise<void>;

/**
 * Writes a file piece by piece; it is there whole or not at all, and replaces one that was.
 * @param option by which the user names it
 * @throws UserError where it cannot be written
 */
export async function writeWhole(
  path: string,
  writeAll: (write: Write) => Promise<void>,
  option = '--out',
): Promise<ExportedFile> {
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(part, 'w');
    await writeAll((piece) => file.appendFile(piece)).finally(() => file.close());
    await rename(part, path);
    return { path, bytes: await sizeOf(path) };
  } catch (error) {
    // Below a file there is nothing to remove, and an error of its own.
    await rm(part, { force: true }).catch(() => undefined);
    throw unwritable(error, path, option);
  }
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path);
  return (await file.stat().finally(() => file.close())).size;
}
