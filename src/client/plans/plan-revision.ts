import type { CampaignPlan } from '../../contract/plan.js';
import type { Revision } from '../../contract/revision.js';
import { isSameQuestion, lockChanges } from '../../domain/campaign/lock-changes.js';
import { revisedTrials } from '../../domain/campaign/revised-trials.js';
import { campaignNamed } from '../campaigns/campaign-named.js';
import type { Connection } from '../connection.js';
import { UserError } from '../../domain/failure/user-error.js';

/**
 * What a plan changes of the campaign it revises.
 * @throws UserError where it asks the same question, or is of another suite
 */
export async function planRevision(
  connection: Connection,
  plan: CampaignPlan,
  asked: { wanted: string; reason: string },
): Promise<Revision> {
  const { records } = connection;
  const of = await campaignNamed(connection, asked.wanted);
  const { lock, suite } = await records.campaign(of);
  if (suite !== plan.spec.suite) throw ofAnotherSuite(of, suite, plan.spec.suite);
  if (isSameQuestion(lock, plan.lock)) throw sameQuestion(of);
  const changes = lockChanges(lock, plan.lock);
  const trials = revisedTrials({ changes, plan, planned: await records.plannedTasks(of) });
  return { of, reason: asked.reason, changes, trials };
}

function sameQuestion(id: string): UserError {
  return new UserError('usage', {
    message: `this file asks the same question as ${id}: there is nothing to revise`,
    expected: 'another prompt, model, dataset, grader, or limits of a system',
    fix: `concurrency, budget, prices, endpoints and keys change without a revision: durabench run FILE --id ${id}`,
  });
}

function ofAnotherSuite(id: string, suite: string, other: string): UserError {
  return new UserError('usage', {
    message: `campaign ${id} is of the suite ${suite}, this file of ${other}`,
    expected: 'a revision of a campaign of the same suite',
    fix: 'leave --revises out: durabench run FILE',
  });
}
