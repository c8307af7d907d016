import type { Services } from '../stack/services.js';
import type { Engine } from './engine.js';
import { openTemporal } from './open-temporal.js';
import type { Session } from './session.js';

/**
 * Connects to Temporal, saying so while it does not answer.
 * @throws StackProblem after a minute
 */
export async function openEngine(
  session: Session,
  services: Services,
): Promise<{ engine: Engine; close: () => Promise<void> }> {
  const campaigns = await import('../adapters/temporal/campaign-workflow.js');
  const { client, patient, once, server, close } = await openTemporal(session, services);
  const engine: Engine = {
    server,
    startAgain: (id) => patient(() => campaigns.startCampaign(client, id, { anew: true })),
    start: (id) => patient(() => campaigns.startCampaign(client, id)),
    isRunning: async (id) => (await patient(() => campaigns.describeCampaign(client, id)))?.isRunning ?? false,
    runsNow: (id) => once(async () => (await campaigns.describeCampaign(client, id))?.isRunning ?? false),
    wakeUp: (id) => patient(() => campaigns.wakeCampaign(client, id)),
    cancel: (id) => patient(() => campaigns.cancelCampaign(client, id)),
  };
  return { engine, close };
}
