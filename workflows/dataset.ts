import {
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type {
  BuildEnd,
  BuildInput,
  BuildPlan,
  BuildResult,
  BuildSteps,
  OpenedAccount,
} from '../src/contract/dataset-build.js';
import type { SuiteManifest } from '../src/contract/suite.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { plansOf } from '../tasks/plans.js';
import { ownNames } from './kit/children.js';
import { createBuildProgress, type BuildProgress } from './build-progress.js';
import { showEnd } from './end-in-ui.js';
import { withFailureMapping, failureOf, isTemporalControl } from './kit/failure-of.js';
import { buildProgress } from './messages.js';
import { BUILD_WINDOW, buildOptions, RECORD_OPTIONS } from './kit/options.js';
import { checkSize } from './kit/stages.js';
import { inWindow } from './kit/windows.js';

const records = proxyLocalActivities<Activities>(RECORD_OPTIONS);

/** One dataset build while it runs. */
interface RunningBuild {
  manifest: SuiteManifest;
  plan: BuildPlan;
  /** Undefined where no model is asked. */
  account: OpenedAccount | undefined;
  newSample: boolean;
  progress: BuildProgress;
  /** Steps that hold a place in the window. */
  running: number;
}

/** Builds the datasets of some projects of a suite, side by side; what fails in one does not hold back the others. */
export async function dataset(input: BuildInput): Promise<BuildResult> {
  const { suite, projects, account: accountId, newSample = false } = input;
  return withFailureMapping(async () => {
    const { manifest, datasetBuild, datasetDescribing } = plansOf(suite);
    const plan = accountId === undefined ? datasetBuild : datasetDescribing;
    if (!plan) throw new DomainFailure('harness.bug', `${suite} has no plan of such a dataset build`);
    const progress = createBuildProgress(projects, setCurrentDetails);
    setHandler(buildProgress, () => progress.projects());
    const account = accountId === undefined ? undefined : await openAccount(accountId);
    const build: RunningBuild = { manifest, plan, account, newSample, progress, running: 0 };
    const ends = await Promise.allSettled(projects.map((project) => buildProject(build, project)));
    const costUsd = account === undefined ? null : await closeAccount(account);
    // Only a cancellation ends a project in this way, once its steps have removed their containers.
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    showEnd({ ownerId: 'dataset', suite, system: null, task: null, ...progress.outcome(), costUsd });
    return { projects: progress.ends() };
  });
}

/** Not cancellable: cancelled half-way, nobody would know the epoch, and what was reserved would stay so. */
const openAccount = (accountId: string): Promise<OpenedAccount> =>
  CancellationScope.nonCancellable(async () => {
    const { epoch } = await records.openBuildAccount(accountId);
    return { accountId, epoch };
  });

/** @returns what the model has cost, in US dollars; null where another build has opened the account meanwhile */
const closeAccount = (account: OpenedAccount): Promise<number | null> =>
  CancellationScope.nonCancellable(async () => {
    try {
      return (await records.closeBuildAccount(account)).costUsd;
    } catch (error) {
      if (failureOf(error).type !== 'operator.superseded') throw error;
      return null;
    }
  });

async function buildProject(build: RunningBuild, project: string): Promise<void> {
  build.progress.ended(project, await endOf(build, project));
}

async function endOf(build: RunningBuild, project: string): Promise<BuildEnd> {
  try {
    return { ended: 'built', built: await build.plan(project, stepsOf(build, project)) };
  } catch (error) {
    if (isCancellation(error) || isTemporalControl(error)) throw error;
    return { ended: 'failed', failure: failureOf(error) };
  }
}

function stepsOf(build: RunningBuild, project: string): BuildSteps {
  return {
    newSample: build.newSample,
    step: (name, call) => inTurn(build, () => runStep(build, { project, name, ...call })),
    async chunks<Result>(count: number, work: (chunk: number) => Promise<Result>) {
      const left = Array.from({ length: count }, (_, chunk) => chunk);
      const ended = build.progress.beganChunks(project, count);
      const results: Result[] = [];
      await inWindow(
        BUILD_WINDOW,
        async () => left.shift() ?? null,
        async (chunk) => {
          results[chunk] = await work(chunk);
          ended();
        },
      );
      return results;
    },
  };
}

/** Waits for a place in the build's window, whatever the project: campaigns share the queue. */
async function inTurn<Result>(build: RunningBuild, run: () => Promise<Result>): Promise<Result> {
  const isFree = (): boolean => build.running < BUILD_WINDOW;
  // Asked again: who was woken before may have taken the place.
  while (!isFree()) await condition(isFree);
  build.running += 1;
  try {
    return await run();
  } finally {
    build.running -= 1;
  }
}

type StepCall = { project: string; name: string } & Parameters<BuildSteps['step']>[1];

async function runStep<Result>(
  { manifest, account, progress }: RunningBuild,
  { project, name, summary, input = null }: StepCall,
): Promise<Result> {
  checkSize(name, input);
  const options = { ...buildOptions(ownNames(), manifest, name), summary: `${project}: ${summary}` };
  const end = progress.began(project, summary);
  try {
    const result = await proxyActivities<Activities>(options).buildDataset({
      suite: manifest.id,
      project,
      step: name,
      input,
      ...(account && { account }),
    });
    end('done');
    return result as Result;
  } catch (error) {
    end('failed');
    if (isCancellation(error)) throw error;
    const { type, ...problem } = failureOf(error);
    throw new DomainFailure(type, problem);
  }
}
