import type { WorkflowHandle } from '@temporalio/client';
import { ignoreAbsent, running, type OwnNamespace } from './open-client.js';
import { stuckIn, terminateTree, type StuckWorkflow } from './workflow-tree.js';

/** Names in every history (`workflows/`): workflow type and signal. A test compares them. */
const CAMPAIGN_TYPE = 'campaign';
const WAKE_UP = 'wakeUp';

/** What Temporal says of a campaign's workflow. */
export interface CampaignWorkflow {
  /** Lower case: `running`, `completed`, `failed`, `cancelled`, `terminated`, `timed_out`. */
  status: string;
  isRunning: boolean;
  /** Run of the workflow, for links. */
  runId: string;
  /** Events so far; Temporal's limit is 51,200. */
  historyLength: number;
}

/**
 * Starts the campaign's workflow; finds the one that runs already, or, with `anew`, terminates it first. A campaign that
 * ended before is started again: its records decide what is left to do.
 */
export async function startCampaign(
  { client, names, code }: OwnNamespace,
  campaignId: string,
  { anew = false } = {},
): Promise<void> {
  await client.workflow.start(CAMPAIGN_TYPE, {
    args: [{ campaignId }],
    taskQueue: names.workflowQueue(await code()),
    workflowId: names.campaign(campaignId),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: anew ? 'TERMINATE_EXISTING' : 'USE_EXISTING',
    staticSummary: `campaign ${campaignId}`,
    memo: { campaign: campaignId },
  });
}

/** Tells a running campaign to ask for the desired state now. Does nothing when none runs: the records say it anyway. */
export async function wakeCampaign(own: OwnNamespace, campaignId: string): Promise<void> {
  await handleOf(own, campaignId).signal(WAKE_UP).catch(ignoreAbsent);
}

/** Asks a running campaign to end: children are cancelled, rows closed. Set the desired state first. */
export async function cancelCampaign(own: OwnNamespace, campaignId: string): Promise<void> {
  await handleOf(own, campaignId).cancel().catch(ignoreAbsent);
}

/**
 * Starts a campaign anew on another workflow code, or where its workflows stand still: those below it are terminated
 * first, since nobody would end them. Whoever runs it is superseded before by the records.
 */
export async function restartCampaign(own: OwnNamespace, campaignId: string, reason: string): Promise<void> {
  await terminateTree(own.client, own.names.campaign(campaignId), { reason, isRootSpared: true });
  await startCampaign(own, campaignId, { anew: true });
}

/** Terminates all that runs of a campaign; its records are closed by whoever calls this. */
export async function terminateCampaign(
  { client, names }: OwnNamespace,
  campaignId: string,
  reason: string,
): Promise<void> {
  await terminateTree(client, names.campaign(campaignId), { reason });
}

/** Campaigns of this installation whose workflow runs, with its task queue, which is that of a workflow code. */
export async function runningCampaigns(own: OwnNamespace): Promise<{ id: string; queue: string }[]> {
  const prefix = own.names.campaign('');
  const found = await running(own, { type: CAMPAIGN_TYPE, prefix });
  return found.map(({ workflowId, taskQueue: queue }) => ({ id: workflowId.slice(prefix.length), queue }));
}

/** Workflows of a campaign that stand still because each try at their next task fails. */
export async function stuckWorkflows({ client, names }: OwnNamespace, campaignId: string): Promise<StuckWorkflow[]> {
  return stuckIn(client, names.campaign(campaignId));
}

/** What Temporal knows of it; null when it never started, or its retention has passed. */
export async function describeCampaign(own: OwnNamespace, campaignId: string): Promise<CampaignWorkflow | null> {
  const description = await handleOf(own, campaignId).describe().catch(ignoreAbsent);
  if (!description) return null;
  const status = description.status.name.toLowerCase();
  const { runId, historyLength } = description;
  return { status, isRunning: status === 'running', runId, historyLength };
}

/** Resolves when the campaign's workflow is closed, however it ended. */
export async function awaitCampaign(own: OwnNamespace, campaignId: string): Promise<void> {
  await handleOf(own, campaignId)
    .result()
    .catch((error: unknown) => {
      // Cancelled, failed or terminated: how it ended stands in the records.
      if (!(error instanceof Error) || error.name !== 'WorkflowFailedError') throw error;
    });
}

function handleOf({ client, names }: OwnNamespace, campaignId: string): WorkflowHandle {
  return client.workflow.getHandle(names.campaign(campaignId));
}
