import type { TrialReview } from '../../contract/verdict.js';
import { UserError } from '../../domain/failure/user-error.js';
import { suiteNamed } from '../../suite/registry.js';
import { actor } from '../actor.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';

/** What a review came to. */
export interface ReviewedTrial extends TrialReview {
  campaign: string;
  author: string;
  /** False in a dry run. */
  isRecorded: boolean;
}

/**
 * Keeps what a person says of a graded trial, beside its verdict, which stays as it is. Reports show both.
 * @throws UserError for a status the suite does not have, a trial without a verdict, and a second review by the same person
 */
export async function reviewTrial(
  context: Context,
  { records }: Pick<Connection, 'records'>,
  {
    trial,
    status,
    reason,
    dryRun: isDryRun = false,
  }: { trial: string; status: string; reason: string; dryRun?: boolean },
): Promise<ReviewedTrial> {
  const { trial: row } = await records.trial(trial);
  const { suite: name } = await records.campaign(row.campaignId);
  const { reviews } = await suiteNamed(name, context.environment());
  if (reviews === undefined) throw noReviews(name);
  const { statuses, statusOf } = reviews;
  if (!statuses.includes(status))
    throw new UserError('usage', {
      message: `"${status}" is no status of ${name}`,
      expected: `one of ${statuses.join(', ')}`,
      fix: `durabench review ${trial} --status ${statuses[0] ?? 'STATUS'} --reason TEXT`,
    });
  const judged = row.outcome === 'passed' || row.outcome === 'failed' ? statusOf(row) : null;
  if (judged === null)
    throw new UserError('usage', {
      message: `trial ${trial} has no verdict: there is nothing to be reviewed`,
      expected: 'a trial that passed or failed',
      fix: `durabench show ${row.campaignId} lists them`,
    });
  const [author, review] = [actor(), { trial, judged, status }];
  const answer = await records.recordReview({ campaignId: row.campaignId, review, author, reason, isDryRun });
  if (answer === 'reviewed-before')
    throw new UserError('usage', {
      message: `${author} has reviewed trial ${trial} before; nothing is overwritten`,
      expected: 'one review by each person',
      fix: 'durabench report CAMPAIGN shows it',
    });
  return { ...review, campaign: row.campaignId, author, isRecorded: !isDryRun };
}

const noReviews = (suite: string): UserError =>
  new UserError('usage', {
    message: `suite ${suite} has no statuses that a person could give`,
    expected: 'a trial of a suite with reviews, as artisan',
    fix: 'durabench show TRIAL says what its grader found',
  });
