import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.js';
import type { QueueName } from '../contract/stage.js';
import type { WorkerSettings } from './settings.js';

/** Record activities at once: short transactions, and no more than the pool of connections serves. */
const LOCAL_ACTIVITIES = 24;

/**
 * A step of the sandbox role more than there are sandboxes: it is fetched and its task read while the others run. Further
 * ones would wait here while another worker's sandboxes are free. The sandboxes themselves are counted where they are made.
 */
const STEPS_AHEAD = 1;

/** One Temporal worker for each role, over one connection. */
export async function createWorkers(parts: {
  connection: NativeConnection;
  namespace: string;
  settings: WorkerSettings;
  activities: Activities;
  /** Path of the workflow bundle. */
  bundle: string;
  instance: string;
}): Promise<Worker[]> {
  const { connection, namespace, activities, settings, bundle, instance } = parts;
  const base: Omit<WorkerOptions, 'taskQueue'> = {
    ...{ connection, namespace, activities, identity: instance },
    // A model call already sent finishes and is stored: nothing paid for is thrown away by a restart.
    shutdownGraceTime: '120 s',
    // Core may hold heartbeats back up to this long: below the beat, so that cancellation arrives in seconds.
    maxHeartbeatThrottleInterval: '3 s',
    defaultHeartbeatThrottleInterval: '3 s',
  };
  const options = (role: QueueName): WorkerOptions =>
    role === 'workflows'
      ? {
          ...base,
          taskQueue: role,
          workflowBundle: { codePath: bundle },
          maxConcurrentLocalActivityExecutions: LOCAL_ACTIVITIES,
          // Nothing but local activities runs on this queue: no poller waits for others.
          enableNonLocalActivities: false,
        }
      : { ...base, taskQueue: role, maxConcurrentActivityTaskExecutions: stepsAtOnce(role, settings.slots) };
  return Promise.all(settings.roles.map((role) => Worker.create(options(role))));
}

const stepsAtOnce = (role: Exclude<QueueName, 'workflows'>, slots: WorkerSettings['slots']): number =>
  role === 'sandbox' ? slots.sandbox + STEPS_AHEAD : slots[role];
