import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import type { GarbageReport } from '../../adapters/blobs/garbage.js';
import type { Leftovers } from '../../adapters/docker/sandbox/leftovers.js';
import type { Leases } from '../../ports/leases.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';

/** What this stack alone can have made, and what others on this machine may use as well; counts. */
export interface Unused {
  /** null where Docker does not answer: the blobs are cleaned all the same. */
  sandbox: Leftovers | null;
  blobs: GarbageReport;
  /** Of trials and generations that have ended: `show` and a look at what an agent left want them, nothing else does. Not in `blobs`. */
  workspaces: { blobs: number; bytes: number };
  /** Sandbox content that no worker of this stack has used; null where Docker does not answer. */
  sharedContents: number | null;
  /** Whether the blob store is a folder that other databases may keep blobs in. */
  areBlobsShared: boolean;
}

/** Counts without removing anything. */
export async function countUnused(context: Context, connection: Connection): Promise<Unused> {
  const { records, blobs } = connection;
  const sandbox = await onEngine(context, (engine) => engine.reap(records, true));
  const isDryRun = true;
  const garbage = await blobs.collectGarbage(await records.referencedBlobs(), { isDryRun });
  const more = await blobs.collectGarbage(await records.referencedBlobs('withoutEnded'), { isDryRun });
  return {
    sandbox,
    blobs: garbage,
    workspaces: between(garbage, more),
    sharedContents: await onEngine(context, async (engine) => (await engine.sharedContent(records)).length),
    areBlobsShared: isElsewhere(context),
  };
}

function between(garbage: GarbageReport, more: GarbageReport): Unused['workspaces'] {
  const blobs = Math.max(0, more.removedBlobs - garbage.removedBlobs);
  return { blobs, bytes: Math.max(0, more.removedBytes - garbage.removedBytes) };
}

/** A blob store outside the stack's own folder is one that DURABENCH_BLOBS names, for whoever else names it. */
function isElsewhere(context: Context): boolean {
  const { stateDir, blobsDir } = context.environment();
  const path = relative(stateDir, blobsDir);
  return path.startsWith('..') || isAbsolute(path);
}

/**
 * Leaves what others may use unless told so (`shared`), and workspaces of what has ended (`workspaces`). @returns what was removed;
 * of the workspaces, what would be where they are left
 */
export async function removeUnused(
  context: Context,
  { records, blobs }: Connection,
  found: Unused,
  { removesShared, removesWorkspaces }: { removesShared: boolean; removesWorkspaces: boolean },
): Promise<Unused> {
  // Leftovers first: what a dead worker's container held is unused afterwards.
  const sandbox = await onEngine(context, (engine) => engine.reap(records, false));
  const shared = removesShared
    ? await onEngine(context, (engine) => engine.removeShared(records))
    : found.sharedContents;
  const isKept = found.areBlobsShared && !removesShared;
  const garbage = isKept ? found.blobs : await blobs.collectGarbage(await records.referencedBlobs());
  const workspaces =
    removesWorkspaces && !isKept
      ? between(NO_GARBAGE, await blobs.collectGarbage(await records.referencedBlobs('withoutEnded')))
      : found.workspaces;
  return { sandbox, sharedContents: shared, blobs: garbage, workspaces, areBlobsShared: found.areBlobsShared };
}

const NO_GARBAGE: GarbageReport = { removedBlobs: 0, removedBytes: 0, keptBlobs: 0 };

interface EngineCleaner {
  reap(leases: Leases, isDryRun: boolean): Promise<Leftovers>;
  sharedContent(leases: Leases): Promise<string[]>;
  removeShared(leases: Leases): Promise<number>;
}

/** null where Docker does not answer. */
async function onEngine<Result>(
  context: Context,
  work: (engine: EngineCleaner) => Promise<Result>,
): Promise<Result | null> {
  const [{ reapLeftovers }, { removeContent, unusedContent }, { connectDocker }] = await Promise.all([
    import('../../adapters/docker/sandbox/leftovers.js'),
    import('../../adapters/docker/volumes/unused-content.js'),
    import('../../adapters/docker/engine/connect-docker.js'),
  ]);
  const docker = connectDocker();
  const scratchParents = [tmpdir(), join(context.environment().stateDir, 'cache')];
  const sharedContent = async (leases: Leases): Promise<string[]> => {
    const own = new Set(await leases.idleContent(0));
    return (await unusedContent(docker)).filter((volume) => !own.has(volume));
  };
  const removeShared = async (leases: Leases): Promise<number> => {
    let removed = 0;
    for (const name of await sharedContent(leases))
      removed += (await removeContent(docker, name)) === 'removed' ? 1 : 0;
    return removed;
  };
  try {
    return await work({
      // All of this stack's content that no container holds, however lately it was used.
      reap: (leases, isDryRun) => reapLeftovers({ docker, leases, scratchParents, contentIdleSeconds: 0, isDryRun }),
      ...{ sharedContent, removeShared },
    });
  } catch (error) {
    context.notify({ type: 'detail', message: String(error) });
    return null;
  }
}
