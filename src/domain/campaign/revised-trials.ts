import type { CampaignPlan } from '../../contract/plan.js';
import type { LockChange, RevisedTrials } from '../../contract/revision.js';

/** What a new plan makes of the trials of the campaign it revises. */
export function revisedTrials(input: {
  changes: readonly LockChange[];
  plan: CampaignPlan;
  /** Of the revised campaign. */
  planned: readonly { taskId: string; systemId: string; repeats: readonly number[]; sha256: string | null }[];
}): RevisedTrials {
  const { changes, plan } = input;
  const isAll = changes.some(({ invalidates }) => invalidates === 'all');
  const systems = new Set(changes.flatMap(({ invalidates }) => (Array.isArray(invalidates) ? invalidates : [])));
  const kept = new Set(plan.batches.flatMap((batch) => batch.trials.map(place)));
  const hashes = new Map(plan.dataset.tasks.map(({ id, sha256 }) => [id, sha256]));
  const counts = { planned: 0, invalidated: 0, leftOut: 0, unchanged: 0 };
  for (const { taskId, systemId, repeats, sha256 } of input.planned) {
    const isOther = isAll || systems.has(systemId) || hashes.get(taskId) !== sha256;
    const left = repeats.filter((repeat) => !kept.has(place({ taskId, systemId, repeat }))).length;
    counts.planned += repeats.length;
    counts.leftOut += left;
    counts[isOther ? 'invalidated' : 'unchanged'] += repeats.length - left;
  }
  return counts;
}

const place = ({ taskId, systemId, repeat }: { taskId: string; systemId: string; repeat: number }): string =>
  `${taskId}/${systemId}/${repeat}`;
