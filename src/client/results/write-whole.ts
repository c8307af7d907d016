import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../domain/failure/user-error.js';
import { systemWords } from '../../domain/failure/system-words.js';

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

const FULL = ['ENOSPC', 'EDQUOT'];
const TAKEN = ['EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'EEXIST', 'EROFS'];

/** The error of a place that the user named with an option, as it is told: any other error stays what it is. */
export function unwritable(error: unknown, path: string, option: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (FULL.includes(code))
    return new UserError(
      'environment',
      {
        message: `${path} cannot be written: the disk is full`,
        expected: 'room for all of it; what was written is gone again',
        fix: `make room, or name a place on another disk with ${option}`,
      },
      { cause: error },
    );
  if (!TAKEN.includes(code)) return error;
  return new UserError(
    'environment',
    {
      message: `${path} cannot be written: ${systemWords(error)}`,
      expected: 'a place that this user may write to',
      fix: `name another place with ${option}`,
    },
    { cause: error },
  );
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path);
  return (await file.stat().finally(() => file.close())).size;
}
