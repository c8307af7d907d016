/** What a campaign tells of itself. */
export const NOTIFICATION_EVENTS = ['end', 'soft_budget', 'stall'] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** One whom a campaign tells: a webhook (its address, or the variable that holds it) or a command. No part of the question. */
export interface NotifySpec {
  webhook?: string;
  /** Name of the environment variable with the address. */
  webhookEnv?: string;
  /** Name of the environment variable with the value of the header `authorization`. */
  authorizationEnv?: string;
  /** Program and arguments. */
  command?: string[];
  on: NotificationEvent[];
  /** Minutes without progress that are a stall. */
  stallMinutes: number;
}

/** Something that a campaign has to tell to some of those it names. */
export interface NotificationInput {
  campaignId: string;
  event: NotificationEvent;
  /** What tells it from others of the same event: told once for each. */
  key: string;
  /** Places in `notify` of the campaign file. */
  targets: number[];
}

/** The same for one of them. */
export type NotificationCall = Omit<NotificationInput, 'targets'> & { target: number };
