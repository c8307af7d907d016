import type { CampaignLock } from '../../contract/campaign.js';
import type { LockChange } from '../../contract/revision.js';
import { lockChanges } from './lock-changes.js';

/**
 * In which parts two campaigns grade differently, by their locks: grader, version of the suite, judge and the models it
 * asks, sandbox limits, images that both have. Systems, their models, the choice of tasks, repeats, seed and prices are
 * what campaigns are compared on, or say nothing of a verdict.
 */
export function graderChanges(one: Graded, other: Graded): LockChange[] {
  const suite: LockChange[] =
    one.suite === other.suite ? [] : [{ part: 'suite', before: one.suite, after: other.suite, invalidates: 'all' }];
  const changes = lockChanges(one.lock, other.lock).filter(
    ({ part, before, after, invalidates }) =>
      invalidates === 'all' &&
      !['seed', 'suite'].includes(part) &&
      // An image that one of them lacks is that of a system.
      (!part.startsWith('images.') || (before !== null && after !== null)),
  );
  return [...suite, ...changes];
}

/** A campaign as far as its verdicts depend on it. */
interface Graded {
  suite: string;
  lock: CampaignLock;
}
