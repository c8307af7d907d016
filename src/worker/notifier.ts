import { setTimeout as sleep } from 'node:timers/promises';
import { startNotification } from '../adapters/temporal/notification-workflow.js';
import type { OwnNamespace } from '../adapters/temporal/open-client.js';
import { dueNotifications } from '../domain/campaign/due-notifications.js';
import type { Records } from '../ports/records.js';
import type { WorkerLog } from './worker-log.js';

/** Soon after the end of a campaign, and seldom enough for a look at all that are open. */
const PAUSE_MS = 5_000;

/** What looking for something to tell needs. */
export interface Notifier {
  own: OwnNamespace;
  records: Pick<Records, 'notifyingCampaigns'>;
  /** Id of the Temporal namespace. */
  server: () => Promise<string>;
  log: Pick<WorkerLog, 'info' | 'debug'>;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Looks again and again, until the signal, what campaigns have to tell, and has each told by a workflow of its own: it is
 * tried again beside the campaign, which neither waits nor fails for it. Never throws.
 */
export async function runNotifier(parts: Notifier): Promise<void> {
  const { log, signal } = parts;
  while (!signal.aborted) {
    await pass(parts).catch((error: unknown) => log.debug({ error: String(error) }, 'nobody can be told anything now'));
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function pass({ own, records, server, log }: Notifier): Promise<void> {
  for (const campaign of await records.notifyingCampaigns(await server()))
    for (const due of dueNotifications(campaign)) {
      const { campaignId, event, targets } = due;
      if (await startNotification(own, due)) log.info({ campaign: campaignId, event, targets }, 'to be told');
    }
}
