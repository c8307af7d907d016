import { fetchDataset } from '../datasets/dataset-tools.js';
import { openImages } from './open-images.js';
import type { CheckedCampaign } from '../plans/read-campaign.js';
import { checkSandbox } from './ready-for-run.js';
import { workerNeeds } from './refresh-worker.js';
import type { Context } from '../context.js';
import { UserError } from '../../domain/failure/user-error.js';
import { suiteFolder } from '../../config/suite-folder.js';

/**
 * Has everything that a campaign needs on this machine there: a sandbox, the stack, images and tasks.
 * @throws UserError with everything that is missing
 */
export async function prepareMachine(context: Context, campaign: CheckedCampaign): Promise<void> {
  await checkSandbox(context, []);
  await allDone(machineSteps(context, campaign));
}

/** Starts everything a campaign needs on this machine, side by side: the stack; the images, then the tasks. */
export function machineSteps(context: Context, campaign: CheckedCampaign): Promise<unknown>[] {
  return [stackUp(context, campaign), imagesThenDataset(context, campaign)];
}

/** Waits for all of them. Every failure is told, not only the first: each has its own remedy. */
export async function allDone(steps: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(steps);
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (failures.length > 0) throw allOf(failures);
}

async function stackUp(context: Context, campaign: CheckedCampaign): Promise<void> {
  const { startStack } = await import('../../stack/stack.js');
  const environment = context.environment();
  await step(context, 'stack', (say) =>
    startStack({ environment, needs: workerNeeds(context, campaign.spec) }, ({ service, text }) =>
      say(`${service}: ${text}`),
    ),
  );
}

/** What no server is needed for: the images, then the tasks. */
export async function imagesThenDataset(context: Context, { suite, spec }: CheckedCampaign): Promise<void> {
  const images = await openImages(context);
  await step(context, 'images', async (say) => {
    for (const name of suite.images(spec)) await images.ensure(name, say);
  });
  const selection = await suite.dataset.select(spec.dataset, spec.seed, suiteFolder(context.packageRoot, suite));
  const groups = new Set(selection.tasks.map((task) => task.group));
  const projects = suite.dataset.projects.filter((project) => groups.has(project));
  await step(context, 'dataset', async (say) => {
    const { tasks, digest } = await fetchDataset(context, {
      suite,
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

/** Runs one named step, telling its lines and how long it took. */
export async function step<Result>(
  context: Context,
  name: string,
  work: (say: (line: string) => void) => Promise<Result>,
): Promise<Result> {
  const startedAt = Date.now();
  const ended = (ok: boolean): void =>
    context.notify({ type: 'step-ended', step: name, ok, seconds: (Date.now() - startedAt) / 1000 });
  try {
    const result = await work((message) => context.notify({ type: 'step', step: name, message }));
    ended(true);
    return result;
  } catch (error) {
    ended(false);
    throw error;
  }
}
