import { Worker, type NativeConnection, type WorkerOptions, type WorkerTuner } from '@temporalio/worker';
import type { Activities } from '../../activities/index.js';
import type { QueueName } from '../contract/stage.js';
import type { ConcurrencySpec } from '../contract/campaign.js';
import { slotsFor } from '../domain/limits/worker-limits.js';
import type { TemporalNames } from '../domain/campaign/temporal-names.js';
import type { WorkerSettings } from '../config/worker-settings.js';
import { createSlots, type Slots } from './slots.js';

type OpenCampaign = Pick<ConcurrencySpec, 'model' | 'sandbox'>;

/** Record activities at once: short transactions, and no more than the pool of connections serves. */
const LOCAL_ACTIVITIES = 24;

/**
 * A step of the sandbox role more than there are sandboxes: it is fetched and its task read while the others run. Further
 * ones would wait here while another worker's sandboxes are free. The sandboxes themselves are counted where they are made.
 */
const STEPS_AHEAD = 1;

/** One Temporal worker for each role, over one connection; `resize` follows what open campaigns ask for. */
export async function createWorkers(parts: {
  connection: NativeConnection;
  namespace: string;
  names: TemporalNames;
  settings: WorkerSettings;
  activities: Activities;
  /** Path of the workflow bundle. */
  bundle: string;
  /** Its digest. */
  code: string;
  instance: string;
}): Promise<{ workers: Worker[]; resize: (open: readonly OpenCampaign[]) => void }> {
  const { connection, namespace, names, activities, settings, bundle, code, instance } = parts;
  const base: Omit<WorkerOptions, 'taskQueue'> = {
    ...{ connection, namespace, activities, identity: instance },
    // A model call already sent finishes and is stored: nothing paid for is thrown away by a restart.
    shutdownGraceTime: '120 s',
    // Core may hold heartbeats back up to this long: below the beat, so that cancellation arrives in seconds.
    maxHeartbeatThrottleInterval: '3 s',
    defaultHeartbeatThrottleInterval: '3 s',
  };
  const slots = { model: createSlots(), sandbox: createSlots() };
  const resize = (open: readonly OpenCampaign[]): void => {
    slots.model.resize(slotsFor('model', settings.slots.model, open));
    slots.sandbox.resize(slotsFor('sandbox', settings.slots.sandbox, open) + STEPS_AHEAD);
  };
  resize([]);
  const options = (role: QueueName): WorkerOptions =>
    role === 'workflows'
      ? {
          ...base,
          taskQueue: names.workflowQueue(code),
          workflowBundle: { codePath: bundle },
          maxConcurrentLocalActivityExecutions: LOCAL_ACTIVITIES,
          // Nothing but local activities runs on this queue: no poller waits for others.
          enableNonLocalActivities: false,
        }
      : role === 'light'
        ? { ...base, taskQueue: names.queue(role), maxConcurrentActivityTaskExecutions: settings.slots.light.most }
        : { ...base, taskQueue: names.queue(role), tuner: tunerOf(slots[role]) };
  const workers = await Promise.all(settings.roles.map((role) => Worker.create(options(role))));
  return { workers, resize };
}

/** Nothing but activities runs on the queues of model calls and sandboxes: the rest gets the least there can be. */
function tunerOf({ supplier }: Slots): WorkerTuner {
  const none = { type: 'fixed-size', numSlots: 2 } as const;
  return {
    activityTaskSlotSupplier: supplier,
    workflowTaskSlotSupplier: none,
    localActivityTaskSlotSupplier: none,
    nexusTaskSlotSupplier: none,
  };
}
