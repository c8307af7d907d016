import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { NotificationInput } from '../src/contract/campaign.js';
import { ownNames } from './kit/children.js';
import { failureOf, withFailureMapping } from './kit/failure-of.js';
import { notifyOptions, RECORD_OPTIONS } from './kit/options.js';

const records = proxyLocalActivities<Activities>(RECORD_OPTIONS);

/** Tells somebody something of a campaign: tried again up to a deadline, apart from the campaign, which waits for nothing here. */
export async function notification({ targets, ...call }: NotificationInput): Promise<void> {
  const { notify } = proxyActivities<Activities>(notifyOptions(ownNames()));
  await withFailureMapping(async () => {
    await Promise.all(
      targets.map(async (target) => {
        try {
          await notify({ ...call, target });
        } catch (error) {
          const { message } = failureOf(error);
          await records.noteNotification({ ...call, target, action: 'notify-failed', reason: message });
        }
      }),
    );
  });
}
