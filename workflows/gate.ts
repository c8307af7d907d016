import { condition, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { wakeUp, type BatchInput } from './messages.js';
import { HOLD_FALLBACK, RECORD_OPTIONS } from './kit/options.js';

const records = proxyLocalActivities<Activities>(RECORD_OPTIONS);

/** A batch's claim once it is not paused. */
type Admission = Exclude<Awaited<ReturnType<Activities['claimBatch']>>, { action: 'pause' }>;

/** The door of a batch: shut while the campaign is paused. */
export interface Gate {
  /** Asks Postgres; while the answer is pause, waits for a wake-up or five minutes and asks again. One question for all who wait. */
  pass(): Promise<Admission>;
}

/** Opens a batch's gate and takes its wake-ups; `onWake` passes them on. */
export function openGate(batch: BatchInput, onWake: () => void): Gate {
  let wakes = 0;
  let asking: Promise<Admission> | null = null;
  setHandler(wakeUp, () => {
    wakes += 1;
    onWake();
  });
  const ask = async (): Promise<Admission> => {
    for (;;) {
      // Counted before asking: a wake-up that arrives during the question is not lost.
      const seen = wakes;
      const claim = await records.claimBatch(batch);
      if (claim.action !== 'pause') return claim;
      await condition(() => wakes > seen, HOLD_FALLBACK);
    }
  };
  return { pass: () => (asking ??= ask().finally(() => (asking = null))) };
}
