import type { NotificationCall, NotificationEvent, NotifySpec } from '../contract/campaign.js';

/** A campaign that wants somebody told, as far as that depends on it. */
export interface NotifyingCampaign {
  id: string;
  notify: NotifySpec[];
  /** What holds of it, each with the key under which it is told once. */
  now: { event: NotificationEvent; key: string }[];
  /** Minutes since anything of it moved, and the instant; null unless it is to run. */
  still: { minutes: number; since: string } | null;
  /** What was told, or given up. */
  told: NotificationCall[];
}

/** Whom campaigns tell what. */
export interface Notifications {
  /** Campaigns of a server that name somebody and may have something to tell. */
  notifyingCampaigns(server: string): Promise<NotifyingCampaign[]>;
  /**
   * Keeps as an event how telling went: `notify-waiting` (it is tried again, kept once), `notified`, or `notify-failed`.
   * Nothing where the campaign is gone.
   */
  noteNotification(
    input: NotificationCall & {
      action: 'notify-waiting' | 'notified' | 'notify-failed';
      author: string;
      reason: string;
    },
  ): Promise<void>;
}

/** How one try to tell somebody ended. */
export type Delivery = { delivered: true } | { delivered: false; problem: string; isFinal: boolean };

/** Tells somebody outside something. Never throws for what is wrong outside; takes half a minute at most. */
export interface Messenger {
  /** @param key the same for each try at one message, so that whoever gets it twice can tell */
  send(target: NotifySpec, message: { body: string; key: string }): Promise<Delivery>;
}
