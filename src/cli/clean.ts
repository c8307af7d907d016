import type { CommandEntry } from './command-entry.js';
import { EXIT } from './exit-code.js';
import type { Session } from './session.js';
import { withWorkplace } from './workplace.js';

/** `durabench clean` */
export const clean: CommandEntry = {
  declare: (program) =>
    program
      .command('clean')
      .description('remove what nothing refers to: blobs older than a day, containers of dead workers'),
  action: (session) =>
    withWorkplace(session, async ({ records, blobs }) => {
      const containers = await removeContainers(session);
      const garbage = await blobs.collectGarbage(await records.referencedBlobs());
      const { output } = session;
      if (output.flags.json) {
        const { removedBlobs, removedBytes, keptBlobs } = garbage;
        output.json({
          removed_blobs: removedBlobs,
          removed_bytes: removedBytes,
          kept_blobs: keptBlobs,
          removed_containers: containers,
        });
      } else {
        output.data(
          `blobs        ${garbage.removedBlobs} removed (${Math.round(garbage.removedBytes / 1024)} KiB), ${garbage.keptBlobs} kept`,
        );
        output.data(
          `containers   ${containers === null ? 'Docker does not answer; nothing was removed' : `${containers} removed`}`,
        );
      }
      return EXIT.ok;
    }),
};

/** null where Docker does not answer: the blobs are cleaned all the same. */
async function removeContainers(session: Session): Promise<number | null> {
  const [{ removeDeadContainers }, { connectDocker }] = await Promise.all([
    import('../adapters/docker/leftovers.js'),
    import('../adapters/docker/connect-docker.js'),
  ]);
  return removeDeadContainers(connectDocker()).catch((error: unknown) => {
    session.output.detail(String(error));
    return null;
  });
}
