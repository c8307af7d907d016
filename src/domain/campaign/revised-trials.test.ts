import { expect, it } from 'vitest';
import type { CampaignPlan } from '../../contract/plan.js';
import type { LockChange } from '../../contract/revision.js';
import { revisedTrials } from './revised-trials.js';

const trial = (taskId: string, systemId: string, repeat = 1) => ({ taskId, systemId, repeat });
const OLD = ['a', 'b', 'c'].flatMap((task) => [trial(task, 'big'), trial(task, 'gold')]);
const TASKS = new Map(['a', 'b', 'c'].map((id) => [id, `hash of ${id}`]));

/** Tasks a and b as they were, b changed where told; c is gone. */
function counted(invalidates: LockChange['invalidates'], b = 'hash of b') {
  const trials = ['a', 'b'].flatMap((task) => [trial(task, 'big'), trial(task, 'gold'), trial(task, 'gold', 2)]);
  const tasks = [
    { id: 'a', sha256: 'hash of a' },
    { id: 'b', sha256: b },
  ];
  const plan = { batches: [{ trials }], dataset: { tasks } } as unknown as CampaignPlan;
  const changes = [{ part: 'x', before: 1, after: 2, invalidates }];
  return revisedTrials({ changes, plan, trials: OLD, tasks: TASKS });
}

it('counts what is invalidated, left out and unchanged', () => {
  expect(counted([])).toEqual({ planned: 6, invalidated: 0, leftOut: 2, unchanged: 4 });
  expect(counted('all')).toEqual({ planned: 6, invalidated: 4, leftOut: 2, unchanged: 0 });
  expect(counted(['big'])).toEqual({ planned: 6, invalidated: 2, leftOut: 2, unchanged: 2 });
  expect(counted('tasks', 'another')).toEqual({ planned: 6, invalidated: 2, leftOut: 2, unchanged: 2 });
});
