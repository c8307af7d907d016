import type { Problem } from '../../contract/problem.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { CampaignRow } from '../../ports/records.js';
import { isRunningHere } from '../campaigns/running-here.js';
import { trialNamed } from '../campaigns/trial-named.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Engine } from '../engine.js';
import { planRuns, runningCampaign, type RunsAnswer, type RunsOptions } from './plan-runs.js';

/** Which trials are run again: by the outcome of their last run, or by id (`<task>/<system>/<repeat>`, or a unique prefix of it). */
export type RetriedTrials = 'errored' | 'not_run' | 'failed' | readonly string[];

/** What a retry is asked with. */
export interface RetryOptions extends RunsOptions {
  /** Default: `errored`. `failed`, and ids of trials that were graded, need a reason. */
  which?: RetriedTrials;
  /** Asks the model anew instead of using its stored answers; only with `failed` or ids. Default: false. */
  fresh?: boolean;
}

/**
 * Runs trials again, as a further run: earlier ones stay visible, the first graded one is the score.
 * @throws UserError for a campaign that runs, a graded trial without a reason, trials that have not ended
 */
export async function retryTrials(
  context: Context,
  connection: Connection,
  engine: Engine,
  request: RetryOptions & { id: string },
): Promise<RunsAnswer> {
  const { id, which = 'errored', fresh = false, reason, ...options } = request;
  const problems = retryProblems({ which, fresh, reason });
  if (problems.length > 0) throw new UserError('usage', problems);
  if (await isRunningHere(connection, engine, id)) throw runningCampaign(id, 'retry');
  const trials = typeof which === 'string' ? which : await namedTrials(connection, id, which);
  if (typeof trials !== 'string' && reason === undefined) await refuseGraded(connection, trials);
  return planRuns(context, connection, engine, {
    ...{ ...options, id, reason, selection: { action: 'retry', fresh, which: trials } },
    details: { which: typeof which === 'string' ? which : [...which], fresh },
    nothing: (campaign) => nothingChosen(campaign, which),
  });
}

/** What is wrong with a retry, whatever the campaign. */
export function retryProblems({ which, fresh, reason }: Pick<RetryOptions, 'which' | 'fresh' | 'reason'>): Problem[] {
  const problems: Problem[] = [];
  if (fresh === true && (which === undefined || which === 'errored' || which === 'not_run'))
    problems.push({
      message: 'trials that were not graded have no stored sample that a fresh one could replace',
      expected: 'fresh samples with failed trials, or with trials named by id',
      fix: 'leave --fresh out, or add --failed or --trial',
    });
  if (which === 'failed' && reason === undefined) problems.push(reasonMissing('failed trials'));
  return problems;
}

const namedTrials = (connection: Connection, id: string, trials: readonly string[]): Promise<string[]> =>
  Promise.all(trials.map((trial) => trialNamed(connection, id, tailOf(trial, id))));

const tailOf = (trial: string, campaign: string): string[] =>
  (trial.startsWith(`${campaign}/`) ? trial.slice(campaign.length + 1) : trial).split('/');

/** Whoever samples a graded trial again has to say why. */
async function refuseGraded({ records }: Connection, trials: readonly string[]): Promise<void> {
  if ((await records.gradedTrials(trials)).length > 0)
    throw new UserError('usage', reasonMissing('a trial that was graded'));
}

function reasonMissing(trials: string): Problem {
  return {
    message: `retry of ${trials} without a reason`,
    expected: 'graded trials are run again for a reason that stays in the record; the score keeps the first graded run',
    fix: 'add --reason "…"; for more samples of every task, set repeats in a new campaign',
  };
}

function nothingChosen({ id, trials }: CampaignRow, which: RetriedTrials): string {
  const { passed, failed, errored, not_run: notRun } = trials;
  const has = `it has ${errored} errored, ${notRun} not run, ${failed} failed, ${passed} passed`;
  if (typeof which === 'string')
    return `campaign ${id} has no trial that is ${which.replace('_', ' ')}: there is nothing to retry; ${has}`;
  throw new UserError('usage', {
    message: `campaign ${id} cannot run these trials again as it stands`,
    expected: `trials that have ended: ${has}`,
    fix: `durabench resume ${id}`,
  });
}
