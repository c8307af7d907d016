import { resolve } from 'node:path';
import { suiteFolder } from '../../config/suite-folder.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { PublishedSet } from '../../suite/dataset.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { withDatasetTools } from './dataset-tools.js';
import { writeBuilt } from './write-built.js';

/** What is asked of a published set. */
export interface PublishedRequest {
  /** Where the benchmark was put as it was published. */
  folder: string;
  /** As its publishers call them; all where none is given. */
  projects: readonly string[];
  /** Asks no server, and keeps nothing. */
  dryRun: boolean;
}

/** A published set on this machine, and the files that pin it, where such were written. */
export type LoadedSet = Omit<PublishedSet, 'files'> & { paths: string[] };

/**
 * Reads a benchmark as somebody else published it, has its files downloaded and pinned, and says which tasks can be run here.
 * @throws UserError where nobody else published the suite, or for what is wrong with the folder
 */
export async function loadPublishedSet(
  context: Context,
  { suite, folder, projects, dryRun }: PublishedRequest & { suite: Suite },
): Promise<LoadedSet> {
  const { dataset, manifest } = suite;
  const load = dataset.published?.bind(dataset);
  if (load === undefined)
    throw new UserError('usage', {
      message: `--published: ${manifest.id} reads no form that others published`,
      fix: `durabench dataset fetch ${manifest.id}`,
    });
  const { createFileBlobs } = await import('../../adapters/blobs/file-blobs.js');
  const blobs = createFileBlobs({ folder: context.environment().blobsDir });
  const options = { folder: resolve(folder), projects: [...projects], isDry: dryRun };
  const { files, ...set } = await withDatasetTools(context, { suite, blobs }, (tools) => load(options, tools));
  const paths = await writeBuilt(files, { blobs, folder: suiteFolder(context.packageRoot, suite) });
  return { ...set, paths };
}
