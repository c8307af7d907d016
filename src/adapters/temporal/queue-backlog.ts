import type { OwnNamespace } from './open-client.js';

/** Steps that no worker has taken up, for want of a slot or of a worker. */
export interface QueueBacklog {
  role: BacklogRole;
  steps: number;
  /** How long the oldest of them waits. */
  oldestSeconds: number;
}

type BacklogRole = (typeof ROLES)[number];

const ROLES = ['model', 'sandbox'] as const;

/** Temporal's `TASK_QUEUE_TYPE_ACTIVITY`. */
const ACTIVITIES = 2;
/** Shorter waits are those of steps that are handed over. */
const LEAST_SECONDS = 2;

/** The queues of an installation on which steps wait, of all its campaigns. As Temporal counts them: about right, not exact. */
export async function queueBacklogs({
  client,
  names,
}: Pick<OwnNamespace, 'client' | 'names'>): Promise<QueueBacklog[]> {
  const all = await Promise.all(
    ROLES.map(async (role) => {
      const { stats } = await client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name: names.queue(role) },
        taskQueueType: ACTIVITIES,
        reportStats: true,
      });
      const steps = Number(stats?.approximateBacklogCount ?? 0);
      return { role, steps, oldestSeconds: Number(stats?.approximateBacklogAge?.seconds ?? 0) };
    }),
  );
  return all.filter(({ steps, oldestSeconds }) => steps > 0 && oldestSeconds >= LEAST_SECONDS);
}
