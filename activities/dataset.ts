import { Context } from '@temporalio/activity';
import type { BuildCall } from '../src/contract/dataset-build.js';
import type { Json } from '../src/contract/json.js';
import { DomainFailure } from '../src/domain/domain-failure.js';
import { checkLimits } from '../src/domain/sandbox-limits.js';
import type { Sandbox } from '../src/ports/sandbox.js';
import type { BuildStep, DatasetTools, Suite } from '../src/ports/suite.js';
import { checkResultSize, createSharedAttempts, failedAttempt } from './attempts.js';
import type { ActivityDependencies } from './dependencies.js';
import { suiteOf } from './stage-context.js';
import { limitTime } from './time-limit.js';

/** The steps of dataset builds as one activity. */
export interface DatasetActivities {
  /** Nothing is recorded in Postgres: what a step has found is in the blob store, under what it was made of. */
  buildDataset(call: BuildCall): Promise<Json>;
}

/** Runs a step of the suite's build with the worker's ports, its sandbox held to the limits the manifest names. */
export function createDatasetActivities(dependencies: ActivityDependencies): DatasetActivities {
  const shared = createSharedAttempts<Json>();
  return { buildDataset: (call) => shared(JSON.stringify(call), () => attemptStep(dependencies, call)) };
}

async function attemptStep(dependencies: ActivityDependencies, call: BuildCall): Promise<Json> {
  try {
    const suite = suiteOf(dependencies, call.suite);
    return await runStep(stepOf(suite, call), call, (signal) => toolsFor(dependencies, suite, call, signal));
  } catch (error) {
    throw await failedAttempt(error);
  }
}

async function runStep(
  step: BuildStep,
  { project, step: name, input }: BuildCall,
  tools: (signal: AbortSignal) => DatasetTools,
): Promise<Json> {
  const limit = limitTime();
  try {
    const result = await Promise.race([step({ project, input }, tools(limit.signal)), limit.exceeded]);
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

function toolsFor(
  dependencies: ActivityDependencies,
  { manifest }: Suite,
  { project, step }: BuildCall,
  signal: AbortSignal,
): DatasetTools {
  const { blobs, sandbox, packages } = dependencies;
  const { log } = Context.current();
  const run: Sandbox['run'] = async (request) => {
    checkLimits(request.limits, manifest.sandboxLimits);
    return sandbox.run(request);
  };
  return {
    blobs,
    sandbox: { ...sandbox, run },
    packages,
    suiteFolder: dependencies.suiteFolder(manifest.id),
    cacheFolder: dependencies.downloadsFolder(manifest.id),
    onProgress: (line) => void log.info(line, { suite: manifest.id, project, step }),
    signal,
  };
}
