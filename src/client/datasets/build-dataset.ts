import type { BuildWorkflow } from '../../adapters/temporal/dataset-workflow.js';
import type { ProjectProgress } from '../../contract/dataset-build.js';
import type { DatasetBuild } from '../../suite/dataset.js';
import type { Suite } from '../../suite/suite.js';
import { actor } from '../actor.js';
import { buildCommand, type BuildRequest, type Describing } from './build-request.js';
import { followBuild } from './follow-build.js';
import { handOver, type BuiltDataset } from './hand-over-build.js';
import { openImages } from '../machine/open-images.js';
import { openBuilds, type Builds } from './open-builds.js';
import { checkSandbox } from '../machine/ready-for-run.js';
import { modelNeeds, refreshWorker } from '../machine/refresh-worker.js';
import type { Context } from '../context.js';
import { isTemporalDown } from '../stack-problem.js';
import { withConnection } from '../connection.js';
import { UserError } from '../../domain/failure/user-error.js';

/**
 * Starts the build of a suite's dataset, or finds the one that runs, and watches it to its end; null once it is left to
 * itself. What was built is written also where another project failed.
 * @throws UserError for what failed, three lines a project
 */
export async function buildDataset(
  context: Context,
  request: BuildRequest,
  onProgress: (projects: readonly ProjectProgress[]) => void,
): Promise<BuiltDataset | null> {
  return withBuilds(context, request, async (builds, page) => {
    const say = (message: string): void => context.notify({ type: 'notice', message });
    const { runId, attached } = await startOrFind(context, builds, request);
    say(`${attached ? 'watching' : 'started'} the build of ${request.projects.join(', ')}${page}`);
    if (request.detach) {
      say(reattachText(request));
      return null;
    }
    const interrupt = context.onInterrupt();
    try {
      const { projects } = request;
      const end = await followBuild(context, builds, { runId, projects, signal: interrupt.signal, onProgress });
      if (end.ended !== 'detached') return await handOver(context, request, end);
      context.notify({ type: 'warning', message: `detached; ${reattachText(request)}` });
      return null;
    } finally {
      interrupt.release();
    }
  });
}

/** Ends the build of a suite that runs now. @returns whether one did */
export async function cancelBuild(
  context: Context,
  { suite, describing }: Pick<BuildRequest, 'suite' | 'describing'>,
): Promise<boolean> {
  return withBuilds(context, { suite, describing }, async (builds, page) => {
    const isEnding = await builds.cancel();
    const message = isEnding
      ? `the build ends; what its steps have found is kept${page}`
      : `no build of the dataset of ${suite.manifest.id} is running: nothing was changed`;
    context.notify({ type: 'notice', message });
    return isEnding;
  });
}

/** @throws UserError at once where no server is up, UserError after a minute where one does not answer */
async function withBuilds<Result>(
  context: Context,
  { suite, describing }: Pick<BuildRequest, 'suite' | 'describing'>,
  work: (builds: Builds, page: string) => Promise<Result>,
): Promise<Result> {
  const { workflowUrl } = await import('../../stack/services.js');
  if (isTemporalDown(context)) throw stackDown(context);
  // The records are read for the installation's names alone: a build may go on while they are unavailable.
  const connection = await withConnection(context, async ({ services, names }) => ({ services, names }));
  const { services, names } = connection;
  const id = names.dataset(suite.manifest.id, describing?.version ?? buildOf(suite).version);
  const url = workflowUrl(services.temporal, id);
  const { builds, close } = await openBuilds(context, connection, id);
  try {
    return await work(builds, url === undefined ? '' : `; Temporal UI: ${url}`);
  } finally {
    await close();
  }
}

const stackDown = (context: Context): UserError =>
  new UserError('environment', {
    message: `no build runs: the stack in ${context.environment().stateDir} is down`,
    fix: 'durabench up',
  });

/** The suite's build. @throws UserError for a suite without one */
export function buildOf({ manifest: { id }, dataset }: Suite): DatasetBuild {
  if (dataset.build !== undefined) return dataset.build;
  throw new UserError('usage', {
    message: `the tasks of ${id} are written by hand and part of the repository; there is nothing to build`,
    fix: `durabench dataset fetch ${id}`,
  });
}

async function startOrFind(
  context: Context,
  builds: Builds,
  request: BuildRequest,
): Promise<{ runId: string; attached: boolean }> {
  const { suite, projects, newSample, describing } = request;
  const running = await builds.last();
  if (running?.isRunning === true) return attachTo(running, request);
  await prepareMachine(context, request);
  const account = describing && (await keepAccount(context, describing));
  // False also where an answer was lost on its way, and the build is ours.
  await builds.start({
    suite: suite.manifest.id,
    projects: [...projects],
    ...(account !== null && { account }),
    ...(newSample && { newSample }),
  });
  const started = await builds.last();
  if (started === null) throw new Error('the build that was started is not there');
  const { runId } = attachTo(started, request);
  return { runId, attached: false };
}

/** Makes the account, or finds it and sets its limit. @returns its id */
async function keepAccount(context: Context, { account }: Describing): Promise<string> {
  await withConnection(context, ({ records }) => records.createBuildAccount(account, { author: actor() }));
  context.notify({ type: 'notice', message: `what it costs: durabench dataset costs ${account.suite}` });
  return account.id;
}

function attachTo(
  { runId, startedAt, projects: under, newSample }: BuildWorkflow,
  { suite, projects, describing, ...asked }: BuildRequest,
): { runId: string; attached: true } {
  const { id } = suite.manifest;
  const missing = projects.filter((project) => !under.includes(project));
  const without = [...missing, ...(asked.newSample && !newSample ? ['--new-sample'] : [])];
  const more = newSample && !asked.newSample ? ', with --new-sample' : '';
  if (without.length === 0 && more === '') return { runId, attached: true };
  throw new UserError('usage', {
    message: `a build of ${id} runs since ${startedAt}${without.length > 0 ? `, without ${without.join(', ')}` : more}`,
    fix: `wait for it (${buildCommand('build', { suite, projects: under, newSample, describing })}) or end it (${buildCommand('cancel', { suite, describing })})`,
  });
}

/** Images are built here, where somebody watches, and the worker runs the code that is built now. */
async function prepareMachine(context: Context, { suite, projects, describing }: BuildRequest): Promise<void> {
  await checkSandbox(context, []);
  const images = await openImages(context);
  for (const name of buildOf(suite).images(projects))
    await images.ensure(name, (line) => context.notify({ type: 'notice', message: `  ${line}` }));
  await refreshWorker(context, describing === null ? [] : modelNeeds(context, [describing.account.model]));
}

/** What becomes of a build that nobody watches, and how to reattach to it. */
function reattachText(request: BuildRequest): string {
  const { suite, describing } = request;
  return `the build continues in the background; reattach, and get its lock, with: ${buildCommand('build', request)}; end it with: ${buildCommand('cancel', { suite, describing })}`;
}
