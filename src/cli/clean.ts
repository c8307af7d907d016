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
        'remove what nothing refers to: blobs older than a day, containers of dead workers, sandbox content no container holds',
      ),
  action: (session) =>
    withWorkplace(session, async ({ records, blobs }) => {
      const sandbox = await cleanSandbox(session);
      const garbage = await blobs.collectGarbage(await records.referencedBlobs());
      const { output } = session;
      if (output.flags.json) {
        const { removedBlobs, removedBytes, keptBlobs } = garbage;
        output.json({
          removed_blobs: removedBlobs,
          removed_bytes: removedBytes,
          kept_blobs: keptBlobs,
          removed_containers: sandbox?.containers ?? null,
          removed_contents: sandbox?.contents ?? null,
        });
      } else {
        output.data(
          `blobs        ${garbage.removedBlobs} removed (${Math.round(garbage.removedBytes / 1024)} KiB), ${garbage.keptBlobs} kept`,
        );
        output.data(
          sandbox === null
            ? 'containers   Docker does not answer; nothing was removed'
            : `containers   ${sandbox.containers} removed\ncontents     ${sandbox.contents} removed`,
        );
      }
      return EXIT.ok;
    }),
};

/** null where Docker does not answer: the blobs are cleaned all the same. */
async function cleanSandbox(session: Session): Promise<{ containers: number; contents: number } | null> {
  const [{ removeDeadContainers }, { removeUnusedContent }, { connectDocker }] = await Promise.all([
    import('../adapters/docker/leftovers.js'),
    import('../adapters/docker/unused-content.js'),
    import('../adapters/docker/connect-docker.js'),
  ]);
  const docker = connectDocker();
  try {
    // Containers first: what a dead worker's container held is unused afterwards.
    const containers = await removeDeadContainers(docker);
    return { containers, contents: await removeUnusedContent(docker) };
  } catch (error) {
    session.output.detail(String(error));
    return null;
  }
}
