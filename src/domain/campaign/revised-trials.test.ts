import { expect, it } from 'vitest';
import type { CampaignPlan } from '../../contract/plan.js';
import type { LockChange } from '../../contract/revision.js';
import { revisedTrials } from './revised-trials.js';

const trial = (taskId: string, systemId: string, repeat = 1) => ({ taskId, systemId, repeat });
const OLD = ['a', 'b', 'c'].flatMap((taskId) =>
  ['big', 'gold'].map((systemId) => ({
    taskId,
    systemId,
    repeats: systemId === 'big' ? [1, 3] : [1],
    sha256: `hash of ${taskId}`,
  })),
);

/** Tasks a and b as they were, b changed where told; c is gone. */
function counted(invalidates: LockChange['invalidates'], b = 'hash of b') {
  const trials = ['a', 'b'].flatMap((task) => [trial(task, 'big'), trial(task, 'gold'), trial(task, 'gold', 2)]);
  const tasks = [
    { id: 'a', sha256: 'hash of a' },
    { id: 'b', sha256: b },
  ];
  const plan = { batches: [{ trials }], dataset: { tasks } } as unknown as CampaignPlan;
  const changes = [{ part: 'x', before: 1, after: 2, invalidates }];
  return revisedTrials({ changes, plan, planned: OLD });
}

it('counts what is invalidated, left out and unchanged', () => {
  expect(counted([])).toEqual({ planned: 9, invalidated: 0, leftOut: 5, unchanged: 4 });
  expect(counted('all')).toEqual({ planned: 9, invalidated: 4, leftOut: 5, unchanged: 0 });
  expect(counted(['big'])).toEqual({ planned: 9, invalidated: 2, leftOut: 5, unchanged: 2 });
  expect(counted('tasks', 'another')).toEqual({ planned: 9, invalidated: 2, leftOut: 5, unchanged: 2 });
});
