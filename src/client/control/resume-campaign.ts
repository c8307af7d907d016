import type { CampaignRow } from '../../ports/records.js';
import { actor } from '../actor.js';
import { isRunningHere } from '../campaigns/running-here.js';
import { workflowState } from '../campaigns/workflow-state.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Engine } from '../engine.js';
import { readyCampaign } from '../machine/refresh-worker.js';
import { planRuns, type RunsAnswer, type RunsOptions } from './plan-runs.js';
import { forecast, waitingRuns } from './run-forecast.js';

/**
 * Goes on with what was interrupted, paused, planned or not run. Nothing that was answered is paid again.
 * @throws UserError while a live worker of another server may still run it
 */
export async function resumeCampaign(
  context: Context,
  connection: Connection,
  engine: Engine,
  request: RunsOptions & { id: string },
): Promise<RunsAnswer> {
  const { id } = request;
  // Workflows that cannot go on by themselves are started anew, as if none ran.
  if (
    (await isRunningHere(connection, engine, id)) &&
    (await workflowState(context, connection, engine, id)).state === 'fine'
  )
    return continuePaused(context, connection, engine, request);
  return planRuns(context, connection, engine, { ...request, selection: { action: 'resume' }, nothing: nothingLeft });
}

/** A paused campaign's workflow waits at its gate. */
async function continuePaused(
  context: Context,
  connection: Connection,
  engine: Engine,
  { id, reason = 'durabench resume', dryRun = false }: RunsOptions & { id: string },
): Promise<RunsAnswer> {
  const { records } = connection;
  const campaign = await records.campaign(id);
  const { desiredState, trials, spec } = campaign;
  if (desiredState !== 'pause') {
    const why = `campaign ${id} is running: there is nothing to resume; watch it: durabench status ${id} --watch`;
    return { id, campaign, state: 'nothing', why };
  }
  if (dryRun) {
    const runs = await waitingRuns(connection, id);
    return { id, campaign, state: 'forecast', ...(await forecast(connection, runs, { campaign: id })) };
  }
  await readyCampaign(context, spec);
  await records.setDesiredState({ campaignId: id, state: 'run', author: actor(), reason });
  await engine.wakeUp(id);
  return { id, campaign, state: 'continued', left: trials.planned - trials.done };
}

function nothingLeft({ id, status, trials: { errored } }: CampaignRow): string {
  const next = errored > 0 ? `durabench retry ${id} --errored` : `see its result: durabench report ${id}`;
  const ended = `every trial has ended${errored > 0 ? ` (${errored} errored)` : ''}`;
  return `campaign ${id} is ${status.replace('_', ' ')} and ${ended}: there is nothing to resume; ${next}`;
}
