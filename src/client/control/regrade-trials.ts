import { changedVerdicts, type ChangedVerdict } from '../../report/later-runs.js';
import type { CampaignRow, PlannedRun } from '../../ports/records.js';
import { isRunningHere } from '../campaigns/running-here.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Engine } from '../engine.js';
import { graderDigest } from '../plans/grader-digest.js';
import { planRuns, runningCampaign, type RunsAnswer, type RunsOptions } from './plan-runs.js';

/** What a regrade is asked with. */
export interface RegradeOptions extends RunsOptions {
  /** Votes anew as well; answers that are stored are not paid again. Default: false. */
  vote?: boolean;
}

/**
 * Scores finished trials again, from stored evidence with the current grader; previous verdicts are kept.
 * @throws UserError for a campaign that runs
 */
export async function regradeTrials(
  context: Context,
  connection: Connection,
  engine: Engine,
  request: RegradeOptions & { id: string },
): Promise<RunsAnswer> {
  const { id, vote = false, ...options } = request;
  if (await isRunningHere(connection, engine, id)) throw runningCampaign(id, 'regrade');
  const { suite } = await connection.records.campaign(id);
  return planRuns(context, connection, engine, {
    ...{ ...options, id, selection: { action: 'regrade', vote } },
    details: { vote, grader: await graderDigest(context, suite) },
    nothing: nothingGraded,
  });
}

/** The verdicts of a campaign that its last regrade changed; only of these runs' trials, where some are given. */
export async function verdictChanges(
  { records }: Connection,
  id: string,
  runs?: readonly Pick<PlannedRun, 'trialId'>[],
): Promise<ChangedVerdict[]> {
  const changed = changedVerdicts(await records.rerunTrials(id));
  const wanted = runs && new Set(runs.map(({ trialId }) => trialId));
  return wanted === undefined ? changed : changed.filter(({ trial }) => wanted.has(trial));
}

function nothingGraded({ id }: CampaignRow): string {
  return `campaign ${id} has no trial that was graded: there is nothing to regrade; durabench resume ${id}`;
}
