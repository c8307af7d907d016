import type { Engine } from './engine.js';
import { openTemporal } from './open-temporal.js';
import type { Session } from './session.js';
import type { Workplace } from './workplace.js';

/**
 * Connects to Temporal, saying so while it does not answer.
 * @throws StackProblem after a minute
 */
export async function openEngine(
  session: Session,
  { services, names }: Pick<Workplace, 'services' | 'names'>,
): Promise<{ engine: Engine; close: () => Promise<void> }> {
  const campaigns = await import('../adapters/temporal/campaign-workflow.js');
  const { client, patient, once, server, close } = await openTemporal(session, services);
  const own = { client, names };
  const engine: Engine = {
    server,
    startAgain: (id) => patient(() => campaigns.startCampaign(own, id, { anew: true })),
    start: (id) => patient(() => campaigns.startCampaign(own, id)),
    isRunning: async (id) => (await patient(() => campaigns.describeCampaign(own, id)))?.isRunning ?? false,
    runsNow: (id) => once(async () => (await campaigns.describeCampaign(own, id))?.isRunning ?? false),
    wakeUp: (id) => patient(() => campaigns.wakeCampaign(own, id)),
    cancel: (id) => patient(() => campaigns.cancelCampaign(own, id)),
  };
  return { engine, close };
}
