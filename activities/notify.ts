import { hostname } from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import type { NotificationCall } from '../src/contract/campaign.js';
import { targetText } from '../src/domain/campaign/due-notifications.js';
import type { ActivityDependencies } from './dependencies.js';
import { toApplicationFailure } from './failures.js';

/** Telling somebody something of a campaign. */
export interface NotifyActivities {
  /** One try; what came of it is an event of the campaign. */
  notify(call: NotificationCall): Promise<void>;
  /** Local: keeps that it was given up. */
  noteNotification(input: NotificationCall & { action: 'notify-failed'; reason: string }): Promise<void>;
}

export function createNotifyActivities({
  records,
  messenger,
  notificationBody,
}: Pick<ActivityDependencies, 'records' | 'messenger' | 'notificationBody'>): NotifyActivities {
  const author = `worker@${hostname()}`;
  return {
    notify: async (call) => {
      try {
        const campaign = await records.campaign(call.campaignId);
        const target = campaign.spec.notify?.[call.target];
        // The file of the campaign was changed meanwhile: there is nobody there any more.
        if (target === undefined) return;
        const key = [call.campaignId, call.event, call.key, call.target].join('/');
        const sent = await messenger.send(target, { body: notificationBody(call, campaign), key });
        const told = `${targetText(target)}, ${call.event.replace('_', ' ')}`;
        if (sent.delivered)
          return await records.noteNotification({ ...call, action: 'notified', author, reason: told });
        const message = `${told}: ${sent.problem}`;
        await records.noteNotification({ ...call, action: 'notify-waiting', author, reason: message });
        throw ApplicationFailure.create({ message, type: 'notification', nonRetryable: sent.isFinal });
      } catch (error) {
        throw error instanceof ApplicationFailure ? error : toApplicationFailure(error);
      }
    },
    noteNotification: async (input) => {
      try {
        await records.noteNotification({ ...input, author });
      } catch (error) {
        throw toApplicationFailure(error);
      }
    },
  };
}
