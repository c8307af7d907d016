import { join } from 'node:path';
import type { BuildWorkflow, BuildWorkflowEnd } from '../adapters/temporal/dataset-workflow.js';
import type { BuildEnd } from '../contract/dataset-build.js';
import type { Problem } from '../contract/problem.js';
import { jsonHash } from '../domain/content-hash.js';
import { DomainFailure } from '../domain/domain-failure.js';
import { workflowId } from '../domain/ids.js';
import type { DatasetBuild, Suite } from '../ports/suite.js';
import type { Services } from '../stack/services.js';
import { CommandProblem } from './command-problem.js';
import { EXIT } from './exit-code.js';
import { failureReport, problemsOf } from './failure-report.js';
import { followBuild } from './follow-build.js';
import { openImages } from './images.js';
import { onInterrupt } from './interrupt.js';
import { openBuilds, type Builds } from './open-builds.js';
import { checkSandbox } from './ready-for-run.js';
import { refreshWorker } from './refresh-worker.js';
import type { Session } from './session.js';
import { writeBuilt } from './write-built.js';

/** What a build that was watched to its end has made. */
export interface BuiltDataset {
  tasks: number;
  digest: string;
  /** Files written into the checkout. */
  paths: string[];
}

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

async function handOver(
  session: Session,
  { suite, projects }: BuildRequest,
  end: BuildWorkflowEnd,
): Promise<BuiltDataset> {
  if (end.ended !== 'done') throw endedOtherwise(suite.manifest.id, end);
  const { createFileBlobs } = await import('../adapters/blobs/file-blobs.js');
  const blobs = createFileBlobs({ folder: session.environment().blobsDir });
  const suiteFolder = join(session.packageRoot, 'tasks', suite.manifest.id);
  const ends = projects.map((project) => [project, end.projects[project]] as const);
  const built = ends.flatMap(([, each]) => (each?.ended === 'built' ? [each.built] : []));
  const paths: string[] = [];
  for (const { files } of built) paths.push(...(await writeBuilt(files, { blobs, suiteFolder })));
  throwFailed(ends);
  const digests = built.map(({ digest }) => digest);
  return {
    tasks: built.reduce((sum, { tasks }) => sum + tasks, 0),
    // One project's digest stands for itself; several are hashed together.
    digest: digests.length === 1 ? (digests[0] ?? '') : jsonHash(digests),
    paths,
  };
}

/** @throws CommandProblem for every project that failed */
function throwFailed(ends: readonly (readonly [string, BuildEnd | undefined])[]): void {
  const failures = ends.flatMap(([project, end]) =>
    end?.ended === 'failed' ? [{ project, error: new DomainFailure(end.failure.type, end.failure.message) }] : [],
  );
  if (failures.length === 0) return;
  const problems = failures.flatMap(({ project, error }) =>
    problemsOf(error).map((problem): Problem => ({ ...problem, what: `${project}: ${problem.what}` })),
  );
  const codes = failures.map(({ error }) => failureReport(error, { stack: false }).exitCode);
  throw new CommandProblem(problems, codes.find((code) => code === EXIT.environment) ?? EXIT.usage);
}

function endedOtherwise(suite: string, end: Exclude<BuildWorkflowEnd, { ended: 'done' }>): CommandProblem {
  const problem = {
    what: `the build ${end.ended === 'failed' ? 'failed' : `was ${end.ended}`}: ${end.message}`,
    allowed: 'a build that runs to its end',
    remedy: `durabench dataset build ${suite} goes on where it was`,
  };
  return new CommandProblem(problem, end.ended === 'failed' ? EXIT.usage : EXIT.cancelled);
}
