import { resolve } from 'node:path';
import { UserError } from '../../domain/failure/user-error.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { refuseTaken, writeFolder } from '../results/write-folder.js';
import { withDatasetTools } from './dataset-tools.js';

/** What an export is asked with. */
export interface ExportRequest {
  suite: Suite;
  projects: string[];
  /** Of tasks that a model described. */
  version?: string | undefined;
  /** The folder to make; it may be there and empty. */
  out: string;
}

/**
 * Writes the tasks of a suite to a folder of their own, fetched first.
 * @throws UserError where the suite has nothing to export, or the folder is taken
 */
export async function exportDataset(
  context: Context,
  { suite, projects, version, out }: ExportRequest,
): Promise<{ tasks: number; digest: string; files: number; folder: string }> {
  const { dataset, manifest } = suite;
  if (dataset.export === undefined)
    throw new UserError('usage', {
      message: `the tasks of ${manifest.id} are not exported`,
      expected: 'a suite whose tasks are fetched',
      fix: `they lie in the repository: tasks/${manifest.id}`,
    });
  const folder = resolve(out);
  await refuseTaken(folder); // before anything is fetched
  const { createFileBlobs } = await import('../../adapters/blobs/file-blobs.js');
  const blobs = createFileBlobs({ folder: context.environment().blobsDir });
  return withDatasetTools(context, { suite, blobs }, async (tools) => {
    const fetched = await dataset.fetch({ projects, verify: false, version }, tools);
    const files = await writeFolder(folder, async (write) => {
      for await (const { path, bytes } of dataset.export?.({ projects, version }, tools) ?? [])
        await write(path, bytes);
    });
    return { ...fetched, files, folder };
  });
}
