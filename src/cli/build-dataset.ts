import type { BuildWorkflow } from '../adapters/temporal/dataset-workflow.js';
import { workflowId } from '../domain/ids.js';
import type { DatasetBuild, Suite } from '../ports/suite.js';
import type { Services } from '../stack/services.js';
import { CommandProblem } from './command-problem.js';
import { followBuild } from './follow-build.js';
import { handOver, type BuiltDataset } from './hand-over-build.js';
import { openImages } from './images.js';
import { onInterrupt } from './interrupt.js';
import { openBuilds, type Builds } from './open-builds.js';
import { checkSandbox } from './ready-for-run.js';
import { refreshWorker } from './refresh-worker.js';
import type { Session } from './session.js';

/** What is asked of a build. */
export interface BuildRequest {
  suite: Suite;
  projects: readonly string[];
  detach: boolean;
}

/**
 * Starts the build of a suite's dataset, or finds the one that runs, and watches it to its end; null once it is left to
 * itself. What was built is written also where another project failed.
 * @throws CommandProblem for what failed, three lines a project
 */
export async function buildDataset(session: Session, request: BuildRequest): Promise<BuiltDataset | null> {
  return withBuilds(session, request.suite, async (builds, page) => {
    const { output } = session;
    const { runId, attached } = await startOrFind(session, builds, request);
    output.say(`${attached ? 'watching' : 'started'} the build of ${request.projects.join(', ')}${page}`);
    if (request.detach) {
      output.say(comeBack(request));
      return null;
    }
    const interrupt = onInterrupt();
    try {
      const { projects } = request;
      const end = await followBuild(session, builds, { runId, projects, signal: interrupt.signal });
      if (end.ended !== 'detached') return await handOver(session, request, end);
      output.warn(`detached; ${comeBack(request)}`);
      return null;
    } finally {
      interrupt.release();
    }
  });
}

/** Ends the build of a suite that runs now. @throws CommandProblem where none does */
export async function cancelBuild(session: Session, suite: Suite): Promise<void> {
  await withBuilds(session, suite, async (builds, page) => {
    if (!(await builds.cancel()))
      throw new CommandProblem({
        what: `no build of the dataset of ${suite.manifest.id} is running`,
        allowed: 'a build that was started and has not ended',
        remedy: `durabench dataset build ${suite.manifest.id}`,
      });
    session.output.say(`the build ends; what its steps have found is kept${page}`);
  });
}

async function withBuilds<Result>(
  session: Session,
  suite: Suite,
  story: (builds: Builds, page: string) => Promise<Result>,
): Promise<Result> {
  const { resolveServices, workflowUrl } = await import('../stack/services.js');
  const services: Services = resolveServices(session.environment());
  const id = workflowId.dataset(suite.manifest.id, buildOf(suite).version);
  const url = workflowUrl(services.temporal, id);
  const { builds, close } = await openBuilds(session, services, id);
  try {
    return await story(builds, url === undefined ? '' : `; Temporal UI: ${url}`);
  } finally {
    await close();
  }
}

/** The suite's build. @throws CommandProblem for a suite without one */
export function buildOf({ manifest: { id }, dataset }: Suite): DatasetBuild {
  if (dataset.build !== undefined) return dataset.build;
  throw new CommandProblem({
    what: `the tasks of ${id} are written by hand and part of the repository; there is nothing to build`,
    allowed: 'a suite whose tasks are made from other sources',
    remedy: `durabench dataset fetch ${id}`,
  });
}

async function startOrFind(
  session: Session,
  builds: Builds,
  { suite, projects }: BuildRequest,
): Promise<{ runId: string; attached: boolean }> {
  const running = await builds.last();
  if (running?.isRunning === true) return attachTo(running, suite, projects);
  await prepareMachine(session, suite, projects);
  // False also where an answer was lost on its way, and the build is ours.
  await builds.start({ suite: suite.manifest.id, projects: [...projects] });
  const started = await builds.last();
  if (started === null) throw new Error('the build that was started is not there');
  const { runId } = attachTo(started, suite, projects);
  return { runId, attached: false };
}

function attachTo(
  { runId, startedAt, projects: under }: BuildWorkflow,
  { manifest: { id } }: Suite,
  projects: readonly string[],
): { runId: string; attached: true } {
  const missing = projects.filter((project) => !under.includes(project));
  if (missing.length === 0) return { runId, attached: true };
  throw new CommandProblem({
    what: `a build of ${id} runs since ${startedAt}, without ${missing.join(', ')}`,
    allowed: 'one build of a suite at a time',
    remedy: `wait for it (durabench dataset build ${id} --project ${under.join(',')}) or end it (durabench dataset cancel ${id})`,
  });
}

/** Images are built here, where somebody watches, and the worker runs the code that is built now. */
async function prepareMachine(session: Session, suite: Suite, projects: readonly string[]): Promise<void> {
  await checkSandbox(session, []);
  const images = await openImages(session);
  for (const name of buildOf(suite).images(projects))
    await images.ensure(name, (line) => session.output.say(`  ${line}`));
  await refreshWorker(session);
}

/** What becomes of a build that nobody watches, and how to come back to it. */
function comeBack({ suite: { manifest }, projects }: BuildRequest): string {
  const again = `durabench dataset build ${manifest.id} --project ${projects.join(',')}`;
  return `the build goes on by itself; come back, and get its lock, with: ${again}; end it with: durabench dataset cancel ${manifest.id}`;
}
