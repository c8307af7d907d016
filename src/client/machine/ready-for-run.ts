import type { CampaignPlan } from '../../contract/plan.js';
import type { Problem } from '../../contract/problem.js';
import type { Blobs } from '../../ports/blobs.js';
import type { Suite } from '../../suite/suite.js';
import { fetchDataset } from '../datasets/dataset-tools.js';
import { checkNestedEngine } from './nested-engines.js';
import { openImages, type ImageState } from './open-images.js';
import type { Context } from '../context.js';
import { UserError } from '../../domain/failure/user-error.js';

/**
 * Makes sure that what a plan needs on this machine is there: Docker and images where the suite runs containers, an engine in one
 * where it needs that, and the bytes of its tasks (fetched when they are missing).
 * @throws UserError of kind environment, with everything that is missing
 */
export async function readyForRun(
  context: Context,
  plan: CampaignPlan,
  parts: { suite: Suite; blobs: Blobs },
): Promise<void> {
  const { needsDocker, nestedEngine } = parts.suite.manifest;
  if (needsDocker) {
    const images = parts.suite.images(plan.spec);
    await checkSandbox(context, images);
    if (nestedEngine !== undefined && images.includes(nestedEngine.image))
      await checkNestedEngine(context, nestedEngine, parts.blobs);
  }
  if ((await absentTasks(plan, parts.blobs)) === 0) return;
  const scopes = new Set(plan.dataset.tasks.map((task) => task.group));
  const projects = parts.suite.dataset.projects.filter((project) => scopes.has(project));
  // A suite whose tasks are made by rule has nothing to fetch.
  if (projects.length > 0) context.notify({ type: 'notice', message: `fetching ${plan.dataset.label}` });
  const { version } = plan.dataset;
  await fetchDataset(context, { suite: parts.suite, projects, verify: false, version });
}

/** What a run builds and fetches before its first trial. */
export interface MissingForRun {
  /** Whether Docker answers; true where the suite runs no containers. */
  docker: boolean;
  images: string[];
  /** Tasks whose bytes are not here. */
  tasks: number;
}

/** Says of what {@link readyForRun} wants what is not there, and changes nothing. */
export async function missingForRun(
  context: Context,
  plan: CampaignPlan,
  { suite, blobs }: { suite: Suite; blobs: Blobs },
): Promise<MissingForRun> {
  const images = suite.manifest.needsDocker ? await unbuiltImages(context, suite.images(plan.spec)) : [];
  return {
    docker: images !== null,
    images: images ?? [],
    // Tasks that are made by rule are fetched from nowhere.
    tasks: suite.dataset.projects.length === 0 ? 0 : await absentTasks(plan, blobs),
  };
}

/** Of these images those that are not built; null where Docker does not answer. */
export async function unbuiltImages(context: Context, names: readonly string[]): Promise<string[] | null> {
  const states = await imageStatesOf(context, names);
  return 'error' in states ? null : states.filter(({ present }) => present === null).map(({ name }) => name);
}

/** How many tasks' bytes are not here. */
async function absentTasks({ dataset }: CampaignPlan, blobs: Blobs): Promise<number> {
  const present = await Promise.all(dataset.tasks.map(({ sha256 }) => blobs.has(sha256)));
  return present.filter((isThere) => !isThere).length;
}

/**
 * Whether containers can be run: Docker answers, these images are built (none where they are built next), there is room
 * on its disk.
 * @throws UserError of kind environment, or DomainFailure `sandbox.disk-full`
 */
export async function checkSandbox(context: Context, images: readonly string[]): Promise<void> {
  const problems = await imageProblems(context, images);
  if (problems.length > 0) throw new UserError('environment', problems);
  await checkSpace(context);
}

/** Docker that does not answer, and images that are missing, each with the command that fixes it. */
async function imageProblems(context: Context, names: readonly string[]): Promise<Problem[]> {
  const states = await imageStatesOf(context, names);
  if ('error' in states) return [dockerDown(states.error, context)];
  return states
    .filter((state) => state.present === null)
    .map((state) => ({
      message: `the image ${state.name} (${state.tag}) is not built`,
      fix: `durabench images build ${state.name}`,
    }));
}

/** How images stand, or why Docker does not answer. */
async function imageStatesOf(context: Context, names: readonly string[]): Promise<ImageState[] | { error: unknown }> {
  const { connectDocker } = await import('../../adapters/docker/engine/connect-docker.js');
  const images = await openImages(context);
  try {
    await connectDocker().ping();
    return await Promise.all(names.map((name) => images.check(name)));
  } catch (error) {
    const { type, code } = error as { type?: string; code?: string };
    // The client's own network errors carry a code, those of the adapter a type.
    if (type !== 'sandbox.unavailable' && code === undefined) throw error;
    return { error };
  }
}

/** @throws DomainFailure `sandbox.disk-full` while a disk that the sandbox writes to is nearly full */
async function checkSpace(context: Context): Promise<void> {
  const [{ createSpaceCheck }, { connectDocker }] = await Promise.all([
    import('../../adapters/docker/engine/free-space.js'),
    import('../../adapters/docker/engine/connect-docker.js'),
  ]);
  const { stateDir: stateFolder, minimumFreeBytes } = context.environment();
  await createSpaceCheck({ docker: connectDocker(), stateFolder, minimumFreeBytes })();
}

function dockerDown(error: unknown, context: Context): Problem {
  const host = context.environment().dockerHost ?? 'its local socket';
  return {
    message: `Docker does not answer on ${host}: ${(error as Error).message.split('\n')[0]}`,
    expected: 'a running Docker engine that this user may use (`docker info` works)',
    fix: 'start Docker, or set DOCKER_HOST; then run the same command again',
  };
}
