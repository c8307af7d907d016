import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../domain/failure/user-error.js';
import { writeTrials, type TrialFormat } from '../../report/export/exported-trials.js';
import { inspectLog } from '../../report/export/inspect-log.js';
import { campaignSubject } from '../campaigns/campaign-subject.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';

/** A file that was written. */
export interface ExportedFile {
  path: string;
  bytes: number;
}

/**
 * Writes all trials of a campaign as one file (`jsonl`, `csv`, `junit`), or a log of Inspect for each system into a folder
 * (`inspect`). A file is there whole or not at all; one that was there before is replaced.
 * @param out the file; of `inspect` the folder. Absolute
 */
export async function exportTrials(
  context: Context,
  connection: Connection,
  request: { id: string; format: TrialFormat | 'inspect'; out: string },
): Promise<ExportedFile[]> {
  const { id, format, out } = request;
  const subject = await campaignSubject(context, connection, id);
  if (format !== 'inspect') return [await written(out, (write) => writeTrials(subject, format, write))];
  const files: ExportedFile[] = [];
  for (const { id: system } of subject.campaign.spec.systems) {
    const path = join(out, `${id}.${system}.json`);
    const file = await written(path, async (write) => {
      for await (const piece of inspectLog(subject, system)) await write(piece);
    });
    files.push(file);
  }
  return files;
}

type Write = (piece: string) => Promise<void>;

async function written(path: string, writeAll: (write: Write) => Promise<void>): Promise<ExportedFile> {
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(part, 'w');
    await writeAll((piece) => file.appendFile(piece)).finally(() => file.close());
    await rename(part, path);
    return { path, bytes: await sizeOf(path) };
  } catch (error) {
    await rm(part, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (!['ENOSPC', 'EACCES', 'EISDIR', 'ENOTDIR', 'EEXIST', 'EROFS'].includes(code ?? '')) throw error;
    throw new UserError(
      'environment',
      { message: `${path} cannot be written (${code})`, fix: 'name another place with --out' },
      { cause: error },
    );
  }
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path);
  return (await file.stat().finally(() => file.close())).size;
}
