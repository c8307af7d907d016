import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Leftovers } from '../adapters/docker/leftovers.js';
import type { Leases } from '../ports/leases.js';
import type { CommandEntry } from './command-entry.js';
import { EXIT } from './exit-code.js';
import type { Session } from './session.js';
import { withWorkplace } from './workplace.js';

/** `durabench clean` */
export const clean: CommandEntry = {
  declare: (program) =>
    program
      .command('clean')
      .description(
        'remove what nothing refers to: blobs older than a day, what dead workers left, sandbox content no container holds',
      ),
  action: (session) =>
    withWorkplace(session, async ({ records, blobs }) => {
      const sandbox = await cleanSandbox(session, records);
      const garbage = await blobs.collectGarbage(await records.referencedBlobs());
      const { output } = session;
      if (output.flags.json) {
        const { removedBlobs, removedBytes, keptBlobs } = garbage;
        output.json({
          removed_blobs: removedBlobs,
          removed_bytes: removedBytes,
          kept_blobs: keptBlobs,
          removed_containers: sandbox?.containers ?? null,
          removed_networks: sandbox?.networks ?? null,
          removed_contents: sandbox?.contents ?? null,
          removed_scratch: sandbox?.scratch ?? null,
        });
      } else {
        output.data(
          `blobs        ${garbage.removedBlobs} removed (${Math.round(garbage.removedBytes / 1024)} KiB), ${garbage.keptBlobs} kept`,
        );
        output.data(sandbox === null ? 'sandbox      Docker does not answer; nothing was removed' : counted(sandbox));
      }
      return EXIT.ok;
    }),
};

/** null where Docker does not answer: the blobs are cleaned all the same. */
async function cleanSandbox(session: Session, leases: Leases): Promise<Leftovers | null> {
  const [{ reapLeftovers }, { removeUnusedContent }, { connectDocker }] = await Promise.all([
    import('../adapters/docker/leftovers.js'),
    import('../adapters/docker/unused-content.js'),
    import('../adapters/docker/connect-docker.js'),
  ]);
  const docker = connectDocker();
  const scratchParents = [tmpdir(), join(session.environment().stateDir, 'cache')];
  try {
    // Leftovers first: what a dead worker's container held is unused afterwards.
    const left = await reapLeftovers({ docker, leases, scratchParents });
    return { ...left, contents: left.contents + (await removeUnusedContent(docker)) };
  } catch (error) {
    session.output.detail(String(error));
    return null;
  }
}

function counted({ containers, networks, contents, scratch }: Leftovers): string {
  const rows = { containers, networks, contents, scratch };
  return Object.entries(rows)
    .map(([what, count]) => `${what.padEnd(13)}${count} removed`)
    .join('\n');
}
