import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeExport, type ExportFormat } from '../../report/export/exported-trials.js';
import { inspectLog } from '../../report/export/inspect-log.js';
import { campaignSubject } from '../campaigns/campaign-subject.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import { writeWhole, type ExportedFile } from './write-whole.js';

/**
 * Writes all trials of a campaign as one file (`jsonl`, `csv`, `junit`), its findings (`findings`), or a log of Inspect for each system into a folder
 * (`inspect`). A file is there whole or not at all; one that was there before is replaced.
 * @param out the file; of `inspect` the folder. Absolute
 */
export async function exportTrials(
  context: Context,
  connection: Connection,
  request: { id: string; format: ExportFormat | 'inspect'; out: string },
): Promise<ExportedFile[]> {
  const { id, format, out } = request;
  const subject = await campaignSubject(context, connection, id);
  if (format !== 'inspect') return [await writeWhole(out, (write) => writeExport(subject, format, write))];
  const files: ExportedFile[] = [];
  try {
    for (const { id: system } of subject.campaign.spec.systems) {
      const path = join(out, `${id}.${system}.json`);
      const file = await writeWhole(path, async (write) => {
        for await (const piece of inspectLog(subject, system)) await write(piece);
      });
      files.push(file);
    }
    return files;
  } catch (error) {
    // Logs of some systems alone would be taken for those of all.
    await Promise.all(files.map(({ path }) => rm(path, { force: true })));
    throw error;
  }
}
