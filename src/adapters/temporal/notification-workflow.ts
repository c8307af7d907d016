import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { NotificationInput } from '../../contract/campaign.js';
import type { OwnNamespace } from './open-client.js';

/** Name in every history (`workflows/`). A test compares it. */
const NOTIFICATION_TYPE = 'notification';

/**
 * Starts the workflow that tells it. It ends in an hour; one that no worker runs any more (its code is gone) ends by
 * itself soon after, and is started anew. False: it runs, or has ended.
 */
export async function startNotification(
  { client, names, code }: OwnNamespace,
  input: NotificationInput,
): Promise<boolean> {
  const { campaignId, event, key, targets } = input;
  try {
    await client.workflow.start(NOTIFICATION_TYPE, {
      args: [input],
      taskQueue: names.workflowQueue(await code()),
      workflowId: names.workflow(NOTIFICATION_TYPE, [campaignId, event, key, targets.join('-')].join('/')),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowExecutionTimeout: '75 minutes',
      staticSummary: `${event.replace('_', ' ')} of ${campaignId}`,
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
