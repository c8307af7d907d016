import {
  CancelledFailure,
  TerminatedFailure,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type Client,
} from '@temporalio/client';
import { recordId } from '../../domain/campaign/ids.js';
import type { BuildInput, BuildResult, ProjectProgress } from '../../contract/dataset-build.js';
import { ignoreAbsent, running, type OwnNamespace } from './open-client.js';
import { stuckIn, type StuckWorkflow } from './workflow-tree.js';

/** Names in every history (`workflows/`): workflow type and query. A test compares them. */
const DATASET_TYPE = 'dataset';
const BUILD_PROGRESS = 'buildProgress';
/** What `account` was called before migration 021. */
const OLD_ACCOUNT = 'books';

/** What Temporal says of the last run of a dataset build. */
export interface BuildWorkflow {
  runId: string;
  isRunning: boolean;
  startedAt: string;
  projects: string[];
  /** Whether it draws the tasks anew. */
  newSample: boolean;
  /** Why steps that are tried again have failed so far. */
  problems: string[];
}

/** How a run ended. */
export type BuildWorkflowEnd =
  ({ ended: 'done' } & BuildResult) | { ended: 'cancelled' | 'terminated' | 'failed'; message: string };

/** Starts a build. False: one runs under that id already. */
export async function startBuild(
  { client, names, code }: OwnNamespace,
  workflowId: string,
  input: BuildInput,
): Promise<boolean> {
  try {
    await start({ client, names, code }, workflowId, { input, onConflict: 'FAIL' });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** A build that runs, on a task queue of some workflow code. */
export interface RunningBuild {
  workflowId: string;
  queue: string;
  input: BuildInput;
}

/** Builds of this installation that run. */
export async function runningBuilds(own: OwnNamespace): Promise<RunningBuild[]> {
  const found = await running(own, { type: DATASET_TYPE, prefix: own.names.workflow(DATASET_TYPE, '') });
  return found.flatMap(({ workflowId, taskQueue: queue, memo }) => {
    const input = memo?.input as RememberedInput | undefined;
    return input === undefined ? [] : [{ workflowId, queue, input: withAccount(input, workflowId) }];
  });
}

/** What a build was started with, maybe by a version that named a campaign where there is an account now. */
type RememberedInput = BuildInput & { [OLD_ACCOUNT]?: string };

/** The account of such a build has its suite and the version that its id ends with. */
function withAccount({ [OLD_ACCOUNT]: campaign, ...input }: RememberedInput, workflowId: string): BuildInput {
  if (campaign === undefined) return input;
  return { ...input, account: recordId.account(input.suite, workflowId.slice(workflowId.lastIndexOf('/') + 1)) };
}

/** Workflows of a build that stand still because each try at their next task fails. */
export async function stuckBuild({ client }: OwnNamespace, workflowId: string): Promise<StuckWorkflow[]> {
  return stuckIn(client, workflowId);
}

/** Starts a build anew on another workflow code, and ends the run there was in the same moment. */
export async function restartBuild(own: OwnNamespace, { workflowId, input }: RunningBuild): Promise<void> {
  await start(own, workflowId, { input, onConflict: 'TERMINATE_EXISTING' });
}

async function start(
  { client, names, code }: OwnNamespace,
  workflowId: string,
  { input, onConflict }: { input: BuildInput; onConflict: 'FAIL' | 'TERMINATE_EXISTING' },
): Promise<void> {
  const projects = input.projects.join(', ');
  await client.workflow.start(DATASET_TYPE, {
    args: [input],
    taskQueue: names.workflowQueue(await code()),
    workflowId,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: onConflict,
    staticSummary: `dataset of ${input.suite}: ${projects}`,
    staticDetails: `Builds and locks the tasks of ${projects}. What a step has found is kept in the blob store by its content: a build that was broken off, or is started again, does nothing twice.`,
    memo: { projects: input.projects, newSample: input.newSample === true, input },
  });
}

/** The last run of a build, or the named one; null when there is none. */
export async function describeBuild(client: Client, workflowId: string, runId?: string): Promise<BuildWorkflow | null> {
  const found = await client.workflow.getHandle(workflowId, runId).describe().catch(ignoreAbsent);
  if (found === undefined) return null;
  const { raw, memo, status, startTime } = found;
  const messages = (raw.pendingActivities ?? []).map(({ lastFailure }) => lastFailure?.message ?? '');
  return {
    runId: found.runId,
    isRunning: status.name === 'RUNNING',
    startedAt: startTime.toISOString(),
    projects: (memo?.projects ?? []) as string[],
    newSample: memo?.newSample === true,
    problems: [...new Set(messages)].filter((message) => message !== ''),
  };
}

/** Where a run stands; needs a worker that answers. */
export async function buildProgress(client: Client, workflowId: string, runId: string): Promise<ProjectProgress[]> {
  return client.workflow.getHandle(workflowId, runId).query<ProjectProgress[], []>(BUILD_PROGRESS);
}

/** Waits for the end of a run. */
export async function endOfBuild(client: Client, workflowId: string, runId: string): Promise<BuildWorkflowEnd> {
  try {
    const result = (await client.workflow.getHandle(workflowId, runId).result()) as BuildResult;
    return { ended: 'done', ...result };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const ended =
      cause instanceof CancelledFailure ? 'cancelled' : cause instanceof TerminatedFailure ? 'terminated' : 'failed';
    return { ended, message: cause?.message ?? error.message };
  }
}

/** Asks a running build to end, which removes its containers. False: none runs. */
export async function cancelBuild(client: Client, workflowId: string): Promise<boolean> {
  const found = await describeBuild(client, workflowId);
  if (found?.isRunning !== true) return false;
  await client.workflow.getHandle(workflowId, found.runId).cancel();
  return true;
}
