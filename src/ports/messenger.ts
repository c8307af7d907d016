import type { NotifySpec } from '../contract/notification.js';

/** How one try to tell somebody ended. */
export type Delivery = { delivered: true } | { delivered: false; problem: string; isFinal: boolean };

/** Tells somebody outside something. Never throws for what is wrong outside; takes half a minute at most. */
export interface Messenger {
  /** @param key the same for each try at one message, so that whoever gets it twice can tell */
  send(target: NotifySpec, message: { body: string; key: string }): Promise<Delivery>;
}
