import type { Engine } from './engine.js';
import { openTemporal } from './open-temporal.js';
import { startingCode } from './starting-code.js';
import type { Context } from './context.js';
import type { Connection } from './connection.js';

/** Hundreds of questions, on a machine that has other things to do. */
const STUCK_MS = 20_000;

/**
 * Connects to Temporal, saying so while it does not answer.
 * @param patience how long it may take; a minute where nothing is said
 * @throws UserError after that
 */
export async function openEngine(
  context: Context,
  { services, names, records }: Pick<Connection, 'services' | 'names' | 'records'>,
  patience: { deadlineMs?: number } = {},
): Promise<{ engine: Engine; close: () => Promise<void> }> {
  const [campaigns, { queueBacklogs }] = await Promise.all([
    import('../adapters/temporal/campaign-workflow.js'),
    import('../adapters/temporal/queue-backlog.js'),
  ]);
  const { client, patient, once, server, close } = await openTemporal(context, services, patience);
  const code = (): Promise<string> => startingCode(context, records, server);
  const own = { client, names, code };
  const engine: Engine = {
    server,
    code,
    startAgain: (id) => patient(() => campaigns.startCampaign(own, id, { anew: true })),
    restart: (id, reason) => patient(() => campaigns.restartCampaign(own, id, reason)),
    terminate: (id, reason) => patient(() => campaigns.terminateCampaign(own, id, reason)),
    stuck: (id) => once(() => campaigns.stuckWorkflows(own, id), STUCK_MS),
    backlogs: () => once(() => queueBacklogs(own)),
    start: (id) => patient(() => campaigns.startCampaign(own, id)),
    isRunning: async (id) => (await patient(() => campaigns.describeCampaign(own, id)))?.isRunning ?? false,
    runsNow: (id) => once(async () => (await campaigns.describeCampaign(own, id))?.isRunning ?? false),
    wakeUp: (id) => patient(() => campaigns.wakeCampaign(own, id)),
    cancel: (id) => patient(() => campaigns.cancelCampaign(own, id)),
  };
  return { engine, close };
}
