import { join } from 'node:path';
import type { BuildWorkflowEnd } from '../../adapters/temporal/dataset-workflow.js';
import type { BuildEnd } from '../../contract/dataset-build.js';
import type { Problem } from '../../contract/problem.js';
import { jsonHash } from '../../domain/text/content-hash.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { Blobs } from '../../ports/blobs.js';
import { buildCommand, type BuildRequest } from './build-request.js';
import { kindOf, problemsOf } from '../../domain/failure/problems-of.js';
import type { Context } from '../context.js';
import { writeBuilt } from './write-built.js';
import { UserError } from '../../domain/failure/user-error.js';
import { suiteFolder } from '../../config/suite-folder.js';

/** What a build that was watched to its end has made. */
export interface BuiltDataset {
  tasks: number;
  digest: string;
  /** Files written into the checkout. */
  paths: string[];
}

/**
 * Writes what a build made into the checkout, also where another project failed.
 * @throws UserError for what failed, three lines a project
 */
export async function handOver(context: Context, request: BuildRequest, end: BuildWorkflowEnd): Promise<BuiltDataset> {
  const { suite, projects, describing } = request;
  if (end.ended !== 'done') throw endedOtherwise(request, end);
  const { createFileBlobs } = await import('../../adapters/blobs/file-blobs.js');
  const blobs = createFileBlobs({ folder: context.environment().blobsDir });
  const folder = suiteFolder(context.packageRoot, suite);
  const ends = projects.map((project) => [project, end.projects[project]] as const);
  const built = ends.flatMap(([, each]) => (each?.ended === 'built' ? [each.built] : []));
  const paths: string[] = [];
  for (const { files } of built) paths.push(...(await writeBuilt(files, { blobs, folder })));
  await keepReasons(context, ends, { suite: suite.manifest.id, describing, blobs });
  throwFailed(ends);
  const digests = built.map(({ digest }) => digest);
  return {
    tasks: built.reduce((sum, { tasks }) => sum + tasks, 0),
    // One project's digest stands for itself; several are hashed together.
    digest: digests.length === 1 ? (digests[0] ?? '') : jsonHash(digests),
    paths,
  };
}

type Ends = readonly (readonly [project: string, end: BuildEnd | undefined])[];

/** Maintainers look there before they change a rule. */
async function keepReasons(
  context: Context,
  ends: Ends,
  { suite, describing, blobs }: { suite: string; blobs: Pick<Blobs, 'get'> } & Pick<BuildRequest, 'describing'>,
): Promise<void> {
  const folder = join(context.environment().stateDir, 'datasets', suite, describing?.version ?? '');
  const [name, what] =
    describing === null ? ['left-out', 'was left out of'] : ['by-rule', 'the model did not describe in'];
  for (const [project, end] of ends) {
    if (end?.ended !== 'built') continue;
    const file = { path: `${project}-${name}.txt`, sha256: end.built.leftOut };
    for (const path of await writeBuilt([file], { blobs, folder }))
      context.notify({ type: 'notice', message: `what ${what} ${project}, and why: ${path}` });
  }
}

/** @throws UserError for every project that failed */
function throwFailed(ends: Ends): void {
  const failures = ends.flatMap(([project, end]) =>
    end?.ended === 'failed' ? [{ project, error: new DomainFailure(end.failure.type, end.failure) }] : [],
  );
  if (failures.length === 0) return;
  const problems = failures.flatMap(({ project, error }) =>
    problemsOf(error).map((problem): Problem => ({ ...problem, message: `${project}: ${problem.message}` })),
  );
  const isEnvironment = failures.some(({ error }) => kindOf(error) === 'environment');
  throw new UserError(isEnvironment ? 'environment' : 'usage', problems);
}

function endedOtherwise(request: BuildRequest, end: Exclude<BuildWorkflowEnd, { ended: 'done' }>): UserError {
  const problem = {
    message: `the build ${end.ended === 'failed' ? 'failed' : `was ${end.ended}`}: ${end.message}`,
    fix: `${buildCommand('build', request)} (it continues where it stopped)`,
  };
  return new UserError(end.ended === 'failed' ? 'usage' : 'cancelled', problem);
}
