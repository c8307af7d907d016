import type { CampaignStatus } from '../../contract/campaign.js';
import type { CampaignPlan } from '../../contract/plan.js';
import type { Revision } from '../../contract/revision.js';
import { trialCount } from '../../domain/campaign/expand-plan.js';
import { actor } from '../actor.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Engine } from '../engine.js';
import { readyCampaign } from '../machine/refresh-worker.js';
import { campaignSubject } from './campaign-subject.js';
import { isClosed } from './is-closed.js';
import { assertNotOwnedElsewhere } from './other-lease-owner.js';
import { isRunningHere } from './running-here.js';

/** What a start has found: a new campaign, one that runs already, or one that has ended (`--id`, and there is nothing to start). */
export type StartState = 'started' | 'running' | 'ended';

/** A campaign that was started or found. */
export interface StartedCampaign {
  id: string;
  state: StartState;
  status: CampaignStatus;
  /** Trials planned. */
  trials: number;
  /** Page in the Temporal UI; null where none is known. */
  temporalUi: string | null;
}

/**
 * Starts the campaign of a plan with a worker that can run it, and says where it is.
 * @throws UserError where the id is another question's, or another server runs the campaign
 */
export async function startPlan(
  context: Context,
  connection: Connection,
  engine: Engine,
  request: StartRequest,
): Promise<StartedCampaign> {
  const { plan } = request;
  await readyCampaign(context, plan.spec);
  const state = await startCampaign(context, connection, engine, request);
  const { temporalUi, campaign } = await campaignSubject(context, connection, plan.id);
  return { id: plan.id, state, status: campaign.status, trials: trialCount(plan), temporalUi };
}

/** A campaign to be started. */
export interface StartRequest {
  plan: CampaignPlan;
  revision?: Revision | undefined;
  /** Told once the campaign is there, whatever becomes of the start. */
  onRecorded?: () => void;
}

/**
 * Inserts the plan, or finds the campaign that asks the same question, and starts its workflow.
 * @throws UserError where the id is another question's, or another server runs the campaign
 */
async function startCampaign(
  context: Context,
  connection: Connection,
  engine: Engine,
  request: StartRequest,
): Promise<StartState> {
  const { records } = connection;
  const { plan, revision, onRecorded } = request;
  await records.createCampaign(plan, { author: actor(), ...(revision && { revision }) });
  onRecorded?.();
  if (isClosed(await records.campaignStatus(plan.id))) return 'ended';
  if (await isRunningHere(connection, engine, plan.id)) return 'running';
  await assertNotOwnedElsewhere(context, connection, engine, { id: plan.id, command: 'run' });
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
