import type { NotificationCall, NotificationInput, NotifySpec } from '../../contract/campaign.js';

/** What {@link dueNotifications} has to know of a campaign. */
interface Notifying {
  id: string;
  notify: readonly NotifySpec[];
  now: readonly Pick<NotificationInput, 'event' | 'key'>[];
  still: { minutes: number; since: string } | null;
  told: readonly Pick<NotificationCall, 'event' | 'key' | 'target'>[];
}

/** What a campaign has to tell now to whom, leaving out whoever was told. A stall is told once for each moment it began at. */
export function dueNotifications({ id, notify, now, still, told }: Notifying): NotificationInput[] {
  const stall = still === null ? [] : [{ event: 'stall' as const, key: still.since }];
  return [...now, ...stall].flatMap(({ event, key }) => {
    const targets = notify.flatMap(({ on, stallMinutes }, target) => {
      const wants = on.includes(event) && (event !== 'stall' || (still?.minutes ?? 0) >= stallMinutes);
      const knows = told.some((each) => each.event === event && each.key === key && each.target === target);
      return wants && !knows ? [target] : [];
    });
    return targets.length === 0 ? [] : [{ campaignId: id, event, key, targets }];
  });
}

/** Whom it is, for people: never more of an address than its host, which holds no secret. */
export function targetText({ webhook, webhookEnv, command }: NotifySpec): string {
  if (command !== undefined) return `command ${command[0] ?? ''}`;
  return webhook === undefined ? `webhook of ${webhookEnv ?? ''}` : `webhook ${new URL(webhook).host}`;
}
