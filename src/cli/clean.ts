import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import type { GarbageReport } from '../adapters/blobs/garbage.js';
import type { Leftovers } from '../adapters/docker/leftovers.js';
import type { Leases } from '../ports/leases.js';
import type { CommandEntry } from './command-entry.js';
import { EXIT } from './exit-code.js';
import { mayGoOn } from './may-go-on.js';
import type { Session } from './session.js';
import { withWorkplace, type Workplace } from './workplace.js';

/** What this stack alone can have made, and what others on this machine may use as well; counts. */
interface Cleaning {
  /** null where Docker does not answer: the blobs are cleaned all the same. */
  sandbox: Leftovers | null;
  blobs: GarbageReport;
  /** Sandbox content that no worker of this stack has used; null where Docker does not answer. */
  sharedContents: number | null;
  /** Whether the blob store is a folder that other databases may keep blobs in. */
  areBlobsShared: boolean;
}

const NO_BLOBS: GarbageReport = { removedBlobs: 0, removedBytes: 0, keptBlobs: 0 };

/** `durabench clean` */
export const clean: CommandEntry = {
  declare: (program) =>
    program
      .command('clean')
      .description(
        'remove what nothing refers to: blobs older than a day, what dead workers left, sandbox content no container holds; asks before what other stacks may use',
      )
      .option('--yes', 'also what other stacks may use, without asking')
      .option('--dry-run', 'only say what would be removed'),
  action: (session, _words, options) =>
    withWorkplace(session, async (place) => {
      const found = await look(session, place);
      if (options.dryRun === true) return told(session, found, { isDryRun: true, removesShared: true });
      const removesShared = !holdsShared(found) || options.yes === true || (await mayRemoveShared(session, found));
      return told(session, await remove(session, place, found, removesShared), { isDryRun: false, removesShared });
    }),
};

const holdsShared = ({ sharedContents, areBlobsShared, blobs }: Cleaning): boolean =>
  (sharedContents ?? 0) > 0 || (areBlobsShared && blobs.removedBlobs > 0);

/** Counts without removing anything. */
async function look(session: Session, place: Workplace): Promise<Cleaning> {
  const { records, blobs } = place;
  const sandbox = await onEngine(session, (engine) => engine.reap(records, true));
  return {
    sandbox,
    blobs: await blobs.collectGarbage(await records.referencedBlobs(), { isDryRun: true }),
    sharedContents: await onEngine(session, async (engine) => (await engine.sharedContent(records)).length),
    areBlobsShared: isElsewhere(session),
  };
}

/** A blob store outside the stack's own folder is one that DURABENCH_BLOBS names, for whoever else names it. */
function isElsewhere(session: Session): boolean {
  const { stateDir, blobsDir } = session.environment();
  const path = relative(stateDir, blobsDir);
  return path.startsWith('..') || isAbsolute(path);
}

async function remove(
  session: Session,
  { records, blobs }: Workplace,
  found: Cleaning,
  removesShared: boolean,
): Promise<Cleaning> {
  // Leftovers first: what a dead worker's container held is unused afterwards.
  const sandbox = await onEngine(session, (engine) => engine.reap(records, false));
  const shared = removesShared
    ? await onEngine(session, (engine) => engine.removeShared(records))
    : found.sharedContents;
  const isKept = found.areBlobsShared && !removesShared;
  const garbage = isKept ? found.blobs : await blobs.collectGarbage(await records.referencedBlobs());
  return { sandbox, sharedContents: shared, blobs: garbage, areBlobsShared: found.areBlobsShared };
}

interface EngineCleaner {
  reap(leases: Leases, isDryRun: boolean): Promise<Leftovers>;
  sharedContent(leases: Leases): Promise<string[]>;
  removeShared(leases: Leases): Promise<number>;
}

/** null where Docker does not answer. */
async function onEngine<Result>(
  session: Session,
  work: (engine: EngineCleaner) => Promise<Result>,
): Promise<Result | null> {
  const [{ reapLeftovers }, { removeContent, unusedContent }, { connectDocker }] = await Promise.all([
    import('../adapters/docker/leftovers.js'),
    import('../adapters/docker/unused-content.js'),
    import('../adapters/docker/connect-docker.js'),
  ]);
  const docker = connectDocker();
  const scratchParents = [tmpdir(), join(session.environment().stateDir, 'cache')];
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
    session.output.detail(String(error));
    return null;
  }
}

function mayRemoveShared(session: Session, found: Cleaning): Promise<boolean> {
  for (const line of sharedLines(session, found)) session.output.say(line);
  return mayGoOn(session, 'remove that too?', false);
}

function sharedLines(session: Session, { sharedContents, areBlobsShared, blobs }: Cleaning): string[] {
  return [
    'other stacks on this machine may use:',
    ...((sharedContents ?? 0) > 0
      ? [`  ${sharedContents} sandbox contents that no container holds; they are filled again when needed`]
      : []),
    ...(areBlobsShared && blobs.removedBlobs > 0
      ? [
          `  ${blobs.removedBlobs} blobs in ${session.environment().blobsDir} that this database does not refer to; another database may`,
        ]
      : []),
  ];
}

function told(
  session: Session,
  done: Cleaning,
  { isDryRun, removesShared }: { isDryRun: boolean; removesShared: boolean },
): typeof EXIT.ok {
  const { output } = session;
  const { sandbox, sharedContents, areBlobsShared } = done;
  const keepsBlobs = areBlobsShared && !removesShared;
  const blobs = keepsBlobs ? { ...NO_BLOBS, keptBlobs: done.blobs.keptBlobs + done.blobs.removedBlobs } : done.blobs;
  const contents = sandbox === null ? null : sandbox.contents + (removesShared ? (sharedContents ?? 0) : 0);
  const keptShared = removesShared ? 0 : (sharedContents ?? 0) + (keepsBlobs ? done.blobs.removedBlobs : 0);
  if (output.flags.json) {
    output.json({
      dry_run: isDryRun,
      removed_blobs: blobs.removedBlobs,
      removed_bytes: blobs.removedBytes,
      kept_blobs: blobs.keptBlobs,
      removed_containers: sandbox?.containers ?? null,
      removed_networks: sandbox?.networks ?? null,
      removed_contents: contents,
      removed_scratch: sandbox?.scratch ?? null,
      kept_shared: keptShared,
    });
    return EXIT.ok;
  }
  const removed = isDryRun ? 'would be removed' : 'removed';
  const kib = Math.round(blobs.removedBytes / 1024);
  output.data(`blobs        ${blobs.removedBlobs} ${removed} (${kib} KiB), ${blobs.keptBlobs} kept`);
  if (sandbox === null) output.data('sandbox      Docker does not answer; nothing was removed');
  else
    for (const [what, count] of Object.entries({ ...sandbox, contents }))
      output.data(`${what.padEnd(13)}${count} ${removed}`);
  if (isDryRun && holdsShared(done)) for (const line of sharedLines(session, done)) output.data(line);
  if (keptShared > 0) output.data('kept         what other stacks may use; remove it with: durabench clean --yes');
  return EXIT.ok;
}
