import type { CampaignPlan } from '../../contract/plan.js';
import type { Revision } from '../../contract/revision.js';
import { author } from '../actor.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Engine } from '../engine.js';
import { isClosed } from './ended-campaign.js';
import { refuseHeld } from './refuse-held.js';
import { isRunningHere } from './running-here.js';

/** What a start has found: a new campaign, one that runs already, or one that has ended (`--id`, and there is nothing to start). */
export type StartState = 'started' | 'running' | 'ended';

/**
 * Inserts the plan, or finds the campaign that asks the same question, and starts its workflow. From `onRecorded` on the
 * campaign is there, whatever becomes of the start.
 * @throws UserError where the id is another question's, or another server runs the campaign
 */
export async function startCampaign(
  context: Context,
  connection: Connection,
  engine: Engine,
  request: { plan: CampaignPlan; revision?: Revision | undefined; onRecorded?: () => void },
): Promise<StartState> {
  const { records } = connection;
  const { plan, revision, onRecorded } = request;
  await records.createCampaign(plan, { author: author(), ...(revision && { revision }) });
  onRecorded?.();
  if (isClosed((await records.campaign(plan.id)).status)) return 'ended';
  if (await isRunningHere(connection, engine, plan.id)) return 'running';
  await refuseHeld(context, connection, engine, { id: plan.id, verb: 'run' });
  await startHere(connection, engine, plan.id);
  return 'started';
}

async function startHere({ records }: Connection, engine: Engine, id: string): Promise<void> {
  const server = await engine.server();
  const before = (await records.campaign(id)).server;
  await records.placeCampaign({ campaignId: id, server, code: await engine.code() });
  // A workflow that was left here when the campaign moved away is superseded; attached to, it would run nothing.
  const wasElsewhere = before !== null && before !== server;
  await (wasElsewhere ? engine.startAgain(id) : engine.start(id));
}
