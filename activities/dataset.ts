import { Context } from '@temporalio/activity';
import type { BuildCall, OpenedAccount } from '../src/contract/dataset-build.js';
import type { Json } from '../src/contract/json.js';
import { recordId } from '../src/domain/campaign/ids.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { checkLimits } from '../src/domain/limits/sandbox-limits.js';
import type { Sandbox } from '../src/ports/sandbox.js';
import type { BuildStep, DatasetTools } from '../src/suite/dataset.js';
import type { Suite } from '../src/suite/suite.js';
import { checkResultSize, createSharedAttempts, failedAttempt } from './attempts.js';
import type { ActivityDependencies } from './dependencies.js';
import { isLacking } from './failures.js';
import { suiteOf } from './stage-context.js';
import { limitTime } from './time-limit.js';

/** The steps of dataset builds as one activity. */
export interface DatasetActivities {
  /** Nothing but calls of a model is recorded in Postgres: what a step has found is in the blob store, under what it was made of. */
  buildDataset(call: BuildCall): Promise<Json>;
}

/** Runs a step of the suite's build with the worker's ports, its sandbox held to the limits the manifest names. */
export function createDatasetActivities(dependencies: ActivityDependencies): DatasetActivities {
  const shared = createSharedAttempts<Json>();
  return { buildDataset: (call) => shared(JSON.stringify(call), (wanted) => attemptStep(dependencies, call, wanted)) };
}

async function attemptStep(dependencies: ActivityDependencies, call: BuildCall, wanted: AbortSignal): Promise<Json> {
  try {
    const suite = suiteOf(dependencies, call.suite);
    const tools = (signal: AbortSignal): Promise<DatasetTools> => toolsFor(dependencies, suite, call, signal);
    return await runStep(stepOf(suite, call), call, { wanted, tools });
  } catch (error) {
    throw await failedAttempt(finalWhereItLacks(error), wanted);
  }
}

/** Images and releases were looked for before a build began, and somebody watches it: it is told at once what there is not. */
function finalWhereItLacks(error: unknown): unknown {
  return isLacking(error) ? error.with({ final: true }) : error;
}

async function runStep(
  step: BuildStep,
  { project, step: name, input }: BuildCall,
  { wanted, tools }: { wanted: AbortSignal; tools: (signal: AbortSignal) => Promise<DatasetTools> },
): Promise<Json> {
  const limit = limitTime(wanted);
  try {
    const run = async (): Promise<Json> => step({ project, input }, await tools(limit.signal));
    const result = await Promise.race([run(), limit.exceeded]);
    checkResultSize(name, result);
    return result;
  } finally {
    limit.clear();
  }
}

function stepOf({ manifest, dataset }: Suite, { step: name }: BuildCall): BuildStep {
  const step = dataset.build?.steps[name];
  if (!step) throw new DomainFailure('harness.bug', `the dataset build of ${manifest.id} has no step ${name}`);
  return step;
}

async function toolsFor(
  dependencies: ActivityDependencies,
  { manifest }: Suite,
  { project, step, account }: BuildCall,
  signal: AbortSignal,
): Promise<DatasetTools> {
  const { blobs, sandbox, packages, downloads } = dependencies;
  const { log } = Context.current();
  const run: Sandbox['run'] = async (request) => {
    checkLimits(request.limits, manifest.sandboxLimits);
    return sandbox.run(request);
  };
  return {
    blobs,
    sandbox: { ...sandbox, run },
    packages,
    downloads,
    suiteFolder: dependencies.suiteFolder(manifest.id),
    cacheFolder: dependencies.downloadsFolder(manifest.id),
    onProgress: (line) => void log.info(line, { suite: manifest.id, project, step }),
    signal,
    ...(account && { asking: await askingOn(dependencies, { project, account, signal }) }),
  };
}

/** How many calls run at once is up to the build's window. */
const MODEL_CALLS = 8;

/** The model of a build that has an account, which pays for every question about a project. */
async function askingOn(
  dependencies: ActivityDependencies,
  { project, account, signal }: { project: string; account: OpenedAccount; signal: AbortSignal },
): Promise<DatasetTools['asking'] & object> {
  const { accountId, epoch } = account;
  const { model } = await dependencies.records.openedBuildAccount(accountId, epoch);
  const caller = {
    account: { kind: 'build' as const, id: accountId },
    epoch,
    owner: { kind: 'build' as const, id: recordId.build(accountId, project) },
    // Whoever opens the account again means to go on: what was lost before may be asked again.
    ...{ stage: 'describe', fresh: 0, run: epoch, signal },
    spec: { models: { describer: model }, concurrency: { model: MODEL_CALLS }, budget: {} },
    system: { id: 'build', model: 'describer', purposes: {} },
  };
  const ask: NonNullable<DatasetTools['asking']>['ask'] = async (step, question) =>
    (await dependencies.ask({ ...caller, step }, question)).answer;
  return { model: model.name, ask, samples: epoch };
}
