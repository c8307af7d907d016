import type { CampaignSpec } from '../../contract/campaign.js';
import type { JsonObject } from '../../contract/json.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { CampaignRow, PlannedRun, RunSelection } from '../../ports/records.js';
import { actor } from '../actor.js';
import { assertNotOwnedElsewhere } from '../campaigns/other-lease-owner.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Engine } from '../engine.js';
import { readyCampaign } from '../machine/refresh-worker.js';
import type { OperatorOptions } from './operator-options.js';
import { forecast, type ForecastRun } from './run-forecast.js';

/** What `resume`, `retry` and `regrade` have in common. */
export interface RunsOptions extends OperatorOptions {
  /** Also from another server that may still run it: that one is superseded. Default: false. */
  takeOver?: boolean;
}

/**
 * What came of it, with the campaign as it stood before. `nothing`: there is nothing to do; `forecast`: a dry run;
 * `started`: these runs were planned, and its workflow was started; `continued`: it was paused and goes on.
 */
export type RunsAnswer = { id: string; campaign: CampaignRow & { spec: CampaignSpec } } & (
  | { state: 'nothing'; /** A sentence, with the command that may help. */ why: string }
  | { state: 'forecast'; runs: ForecastRun[]; /** Dollars, of what is known. */ usd: number }
  | { state: 'started'; runs: PlannedRun[] }
  | { state: 'continued'; /** Trials that are still to end. */ left: number }
);

/** Runs to be planned in a campaign that does not run here. */
export interface RunsRequest extends RunsOptions {
  id: string;
  selection: RunSelection;
  /** More for the event. */
  details?: JsonObject;
  /** What to say when nothing is chosen. @throws UserError where that is a mistake */
  nothing(campaign: CampaignRow): string;
}

/**
 * Plans the runs and starts the campaign again; or only says which they would be.
 * @throws UserError while a live worker of another server may still run it
 */
export async function planRuns(
  context: Context,
  connection: Connection,
  engine: Engine,
  request: RunsRequest,
): Promise<RunsAnswer> {
  const { records } = connection;
  const { id, selection, dryRun = false, takeOver = false } = request;
  const command = selection.action;
  const campaign = await records.campaign(id);
  const server = await engine.server();
  if (!takeOver) await assertNotOwnedElsewhere(context, connection, engine, { id, command });
  const plan = (isDryRun: boolean, epoch: number, code?: string): Promise<PlannedRun[]> =>
    records.planRuns({
      ...{ campaignId: id, selection, isDryRun, epoch, server, author: actor() },
      ...(code !== undefined && { code }),
      reason: request.reason ?? `durabench ${command}`,
      details: { ...request.details, take_over: takeOver },
    });
  const chosen = await plan(true, campaign.epoch);
  // A campaign that is still open is closed by a workflow, also where every trial has ended.
  const isEmpty = chosen.length === 0 && !(command === 'resume' && campaign.endedAt === null);
  if (isEmpty) return { id, campaign, state: 'nothing', why: request.nothing(campaign) };
  if (dryRun) {
    const isFresh = selection.action === 'retry' && selection.fresh;
    return { id, campaign, state: 'forecast', ...(await forecast(connection, chosen, { campaign: id, isFresh })) };
  }
  const isAnew = await readyCampaign(context, campaign.spec);
  // A worker that was started again may have taken it over already.
  const { epoch } = isAnew ? await records.campaign(id) : campaign;
  const runs = await plan(false, epoch, await engine.code());
  await engine.restart(id, `durabench ${command}`);
  return { id, campaign, state: 'started', runs };
}

/** What is said of a campaign that runs: its own workflow would not see runs planned behind its back. */
export function runningCampaign(id: string, command: 'retry' | 'regrade'): UserError {
  return new UserError('usage', {
    message: `campaign ${id} is running: it cannot be ${command === 'retry' ? 'retried' : 'regraded'} yet`,
    expected: 'a campaign that has ended',
    fix: `watch it: durabench status ${id} --watch`,
  });
}
