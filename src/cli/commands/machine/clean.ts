import { countUnused, removeUnused, type Unused } from '../../../client/machine/clean.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { mayGoOn } from '../../options/may-go-on.js';
import type { Session } from '../../session.js';
import { withConnection } from '../../../client/connection.js';

const NO_BLOBS: Unused['blobs'] = { removedBlobs: 0, removedBytes: 0, keptBlobs: 0 };

/** `durabench clean` */
export const clean: CommandEntry = {
  declare: (program) =>
    program
      .command('clean')
      .description(
        'remove what nothing refers to: blobs older than a day, what dead workers left, sandbox content no container holds; asks before removing what other stacks may use',
      )
      .option('--yes', 'also what other stacks may use, without asking')
      .option('--workspaces', 'also the workspaces of trials that have ended')
      .option('--dry-run', 'only say what would be removed'),
  action: (session, _words, options) =>
    withConnection(session, async (connection) => {
      const found = await countUnused(session, connection);
      const removesWorkspaces = options.workspaces === true;
      const asked = { removesShared: true, removesWorkspaces };
      if (options.dryRun === true) return told(session, found, { isDryRun: true, ...asked });
      const removesShared = !holdsShared(found) || options.yes === true || (await mayRemoveShared(session, found));
      const done = await removeUnused(session, connection, found, { ...asked, removesShared });
      return told(session, done, { isDryRun: false, ...asked, removesShared });
    }),
};

const holdsShared = ({ sharedContents, areBlobsShared, blobs }: Unused): boolean =>
  (sharedContents ?? 0) > 0 || (areBlobsShared && blobs.removedBlobs > 0);

function mayRemoveShared(session: Session, found: Unused): Promise<boolean> {
  for (const line of sharedLines(session, found)) session.output.say(line);
  return mayGoOn(session, 'remove that too?', false);
}

function sharedLines(session: Session, { sharedContents, areBlobsShared, blobs }: Unused): string[] {
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
  done: Unused,
  {
    isDryRun,
    removesShared,
    removesWorkspaces,
  }: { isDryRun: boolean; removesShared: boolean; removesWorkspaces: boolean },
): typeof EXIT.ok {
  const { output } = session;
  const { sandbox, sharedContents, areBlobsShared, workspaces } = done;
  const keepsBlobs = areBlobsShared && !removesShared;
  const blobs = keepsBlobs ? { ...NO_BLOBS, keptBlobs: done.blobs.keptBlobs + done.blobs.removedBlobs } : done.blobs;
  const contents = sandbox === null ? null : sandbox.contents + (removesShared ? (sharedContents ?? 0) : 0);
  const keptShared = removesShared ? 0 : (sharedContents ?? 0) + (keepsBlobs ? done.blobs.removedBlobs : 0);
  if (output.flags.json) {
    output.json('clean', {
      dry_run: isDryRun,
      removed_blobs: blobs.removedBlobs,
      removed_bytes: blobs.removedBytes,
      kept_blobs: blobs.keptBlobs,
      removed_containers: sandbox?.containers ?? null,
      removed_networks: sandbox?.networks ?? null,
      removed_contents: contents,
      removed_scratch: sandbox?.scratch ?? null,
      kept_shared: keptShared,
      workspaces: { removed: removesWorkspaces && !keepsBlobs, blobs: workspaces.blobs, bytes: workspaces.bytes },
    });
    return EXIT.ok;
  }
  const removed = isDryRun ? 'would be removed' : 'removed';
  const kib = Math.round(blobs.removedBytes / 1024);
  output.data(`blobs        ${blobs.removedBlobs} ${removed} (${kib} KiB), ${blobs.keptBlobs} kept`);
  const ofWorkspaces = `${workspaces.blobs} blobs (${Math.round(workspaces.bytes / 1024)} KiB) of ended trials`;
  if (removesWorkspaces && !keepsBlobs) output.data(`workspaces   ${ofWorkspaces} ${removed}`);
  else if (workspaces.blobs > 0)
    output.data(`workspaces   ${ofWorkspaces} kept; remove them with: durabench clean --workspaces`);
  if (sandbox === null) output.data('sandbox      Docker does not answer; nothing was removed');
  else
    for (const [what, count] of Object.entries({ ...sandbox, contents }))
      output.data(`${what.padEnd(13)}${count} ${removed}`);
  if (isDryRun && holdsShared(done)) for (const line of sharedLines(session, done)) output.data(line);
  const counts = [
    removesWorkspaces ? workspaces.blobs : 0,
    blobs.removedBlobs,
    contents,
    sandbox?.containers,
    sandbox?.networks,
    sandbox?.scratch,
  ];
  if (keptShared === 0 && counts.every((count) => !count)) output.data('nothing to remove');
  if (keptShared > 0) output.data('kept         what other stacks may use; remove it with: durabench clean --yes');
  return EXIT.ok;
}
