import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { ignoreAbsent } from './open-client.js';

/** Questions to the server at once: a campaign may run hundreds of trials. */
const WIDTH = 16;
/** Looked at from the end of a history: what failed last is among its last events. */
const LAST_EVENTS = 10;

/** A running workflow below another one, or itself. */
interface RunningWorkflow {
  workflowId: string;
  runId: string;
  /** How often its next workflow task was tried; 0 where none is due. */
  attempt: number;
}

/** A workflow that stands still because each try at its next task fails. */
export interface StuckWorkflow {
  workflowId: string;
  /** What the last failed try said. */
  message: string;
}

/**
 * Terminates a workflow and all below it that run, the lowest first: nobody is left to start another. Their records are
 * closed by whoever calls this. Nothing happens where none runs.
 * @param isRootSpared it goes on: whoever starts it anew ends it in the same moment
 */
export async function terminateTree(
  client: Client,
  rootId: string,
  { reason, isRootSpared = false }: { reason: string; isRootSpared?: boolean },
): Promise<void> {
  const tree = await runningTree(client, rootId);
  for (const level of tree.slice(isRootSpared ? 1 : 0).reverse())
    await pLimit(WIDTH).map(level, ({ workflowId, runId }) =>
      client.workflow.getHandle(workflowId, runId).terminate(reason).catch(ignoreAbsent),
    );
}

/** Workflows of a tree whose next task fails again and again, whatever the cause. */
export async function stuckIn(client: Client, rootId: string): Promise<StuckWorkflow[]> {
  const suspects = (await runningTree(client, rootId)).flat().filter(({ attempt }) => attempt > 1);
  const found = await pLimit(WIDTH).map(suspects, async (suspect): Promise<StuckWorkflow[]> => {
    const message = await taskFailure(client, suspect);
    return message === undefined ? [] : [{ workflowId: suspect.workflowId, message }];
  });
  return found.flat();
}

/** What runs, level by level. A root that is closed may have left children: these are found too. */
async function runningTree(client: Client, rootId: string): Promise<RunningWorkflow[][]> {
  const levels: RunningWorkflow[][] = [];
  let next: { workflowId: string; runId?: string }[] = [{ workflowId: rootId }];
  while (next.length > 0) {
    const found = await pLimit(WIDTH).map(next, ({ workflowId, runId }) =>
      client.workflow.getHandle(workflowId, runId).describe().catch(ignoreAbsent),
    );
    const known = found.filter((each) => each !== undefined);
    levels.push(
      known
        .filter(({ status }) => status.name === 'RUNNING')
        .map(({ workflowId, runId, raw }) => ({ workflowId, runId, attempt: raw.pendingWorkflowTask?.attempt ?? 0 })),
    );
    next = known.flatMap(({ raw }) =>
      (raw.pendingChildren ?? []).flatMap(({ workflowId, runId }) =>
        workflowId && runId ? [{ workflowId, runId }] : [],
      ),
    );
  }
  return levels;
}

/** Why the last try at a workflow task failed; undefined where it only timed out, or went on meanwhile. */
async function taskFailure(client: Client, { workflowId, runId }: RunningWorkflow): Promise<string | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: LAST_EVENTS,
  });
  for (const event of history?.events ?? []) {
    if (event.workflowTaskCompletedEventAttributes) return undefined;
    const failed = event.workflowTaskFailedEventAttributes;
    if (failed) return failed.failure?.message ?? 'its workflow task failed';
  }
  return undefined;
}
