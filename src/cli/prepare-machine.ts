import { join } from 'node:path';
import { fetchDataset } from './dataset-tools.js';
import { openImages } from './images.js';
import type { CheckedCampaign } from './read-campaign.js';
import { workerNeeds } from './refresh-worker.js';
import type { Session } from './session.js';
import { step } from './steps.js';
import { UserError } from '../domain/user-error.js';

/** Starts everything a campaign needs on this machine, side by side: the stack; the images, then the tasks. */
export function machineSteps(session: Session, campaign: CheckedCampaign): Promise<unknown>[] {
  return [stackUp(session, campaign), imagesThenDataset(session, campaign)];
}

/** Waits for all of them. Every failure is told, not only the first: each has its own remedy. */
export async function allDone(steps: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(steps);
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (failures.length > 0) throw allOf(failures);
}

async function stackUp(session: Session, campaign: CheckedCampaign): Promise<void> {
  const { startStack } = await import('../stack/stack.js');
  const environment = session.environment();
  await step(session.output, 'stack', (say) =>
    startStack({ environment, needs: workerNeeds(session, campaign.spec) }, ({ service, text }) =>
      say(`${service}: ${text}`),
    ),
  );
}

/** What no server is needed for: the images, then the tasks. */
export async function imagesThenDataset(session: Session, { suite, spec }: CheckedCampaign): Promise<void> {
  const { output } = session;
  const images = await openImages(session);
  await step(output, 'images', async (say) => {
    for (const name of suite.images(spec)) await images.ensure(name, say);
  });
  const { createFileBlobs } = await import('../adapters/blobs/file-blobs.js');
  const blobs = createFileBlobs({ folder: session.environment().blobsDir });
  const suiteFolder = join(session.packageRoot, 'tasks', suite.manifest.id);
  const selection = await suite.dataset.select(spec.dataset, spec.seed, suiteFolder);
  const groups = new Set(selection.tasks.map((task) => task.group));
  const projects = suite.dataset.projects.filter((project) => groups.has(project));
  await step(output, 'dataset', async (say) => {
    const { tasks, digest } = await fetchDataset(session, {
      suite,
      blobs,
      projects,
      verify: false,
      version: selection.version,
    });
    say(`${projects.join(', ')}: ${tasks} tasks, digest ${digest.slice(0, 12)}`);
  });
}

function allOf(failures: readonly unknown[]): unknown {
  const problems = failures.map((failure) => {
    return failure instanceof UserError ? failure.problems : [];
  });
  return problems.every((found) => found.length > 0)
    ? new UserError('environment', problems.flat())
    : failures[problems.findIndex((found) => found.length === 0)];
}
