import type { CampaignPlan } from '../../contract/plan.js';
import type { LockChange, RevisedTrials } from '../../contract/revision.js';

/** What a new plan makes of the trials of the campaign it revises. */
export function revisedTrials(input: {
  changes: readonly LockChange[];
  plan: CampaignPlan;
  trials: readonly { taskId: string; systemId: string; repeat: number }[];
  /** Of the revised campaign: task id → hash. */
  tasks: ReadonlyMap<string, string>;
}): RevisedTrials {
  const { changes, plan, trials, tasks } = input;
  const isAll = changes.some(({ invalidates }) => invalidates === 'all');
  const systems = new Set(changes.flatMap(({ invalidates }) => (Array.isArray(invalidates) ? invalidates : [])));
  const kept = new Set(plan.batches.flatMap((batch) => batch.trials.map(place)));
  const hashes = new Map(plan.dataset.tasks.map(({ id, sha256 }) => [id, sha256]));
  const counts = { planned: trials.length, invalidated: 0, leftOut: 0, unchanged: 0 };
  for (const trial of trials) {
    const isOther = isAll || systems.has(trial.systemId) || hashes.get(trial.taskId) !== tasks.get(trial.taskId);
    counts[!kept.has(place(trial)) ? 'leftOut' : isOther ? 'invalidated' : 'unchanged'] += 1;
  }
  return counts;
}

const place = ({ taskId, systemId, repeat }: { taskId: string; systemId: string; repeat: number }): string =>
  `${taskId}/${systemId}/${repeat}`;
