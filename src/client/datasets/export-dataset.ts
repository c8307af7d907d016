import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../../domain/failure/user-error.js';
import { unwritable } from '../../domain/failure/unwritable.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
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

/** In a folder that is being written: whoever finds it knows whose it is. */
const UNFINISHED = '.durabench-export';

/**
 * Writes the tasks of a suite to a folder of their own, fetched first. The folder is there whole or not at all: until then
 * it is `OUT.partial`, which the next export of the same folder clears away.
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
  await refuseTaken(folder);
  const { createFileBlobs } = await import('../../adapters/blobs/file-blobs.js');
  const blobs = createFileBlobs({ folder: context.environment().blobsDir });
  return withDatasetTools(context, { suite, blobs }, async (tools) => {
    const fetched = await dataset.fetch({ projects, verify: false, version }, tools);
    const partial = await cleared(`${folder}.partial`);
    let files = 0;
    try {
      for await (const { path, bytes } of dataset.export?.({ projects, version }, tools) ?? []) {
        await mkdir(dirname(join(partial, path)), { recursive: true });
        await writeFile(join(partial, path), bytes);
        files += 1;
      }
      await rm(join(partial, UNFINISHED));
      // An empty folder gives way; one that was filled meanwhile does not.
      await rename(partial, folder);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw refused(error, folder);
    }
    return { ...fetched, files, folder };
  });
}

async function refuseTaken(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found === null) return;
  const isFolder = found.isDirectory();
  if (isFolder && (await readdir(folder)).length === 0) return;
  throw taken(folder, isFolder ? 'is there and holds files' : 'is a file');
}

function taken(folder: string, how: string): UserError {
  return new UserError('usage', {
    message: `--out: ${folder} ${how}`,
    expected: 'a folder that is not there yet, or is empty',
    fix: 'name another folder, or move that one away; nothing was written',
  });
}

/** An empty folder to write to. What an export left there that was killed goes; anything else is somebody's. */
async function cleared(partial: string): Promise<string> {
  const there = await readdir(partial).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw taken(partial, 'is in the way of the export');
  });
  if (there !== null && there.length > 0 && !there.includes(UNFINISHED))
    throw taken(partial, 'is in the way: no export of ours wrote it');
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial, { recursive: true });
    await writeFile(join(partial, UNFINISHED), 'An export that has not ended.\n');
  } catch (error) {
    throw refused(error, partial);
  }
  return partial;
}

function refused(error: unknown, folder: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(code)) return taken(folder, 'was filled meanwhile');
  return unwritable(error, folder, '--out');
}
