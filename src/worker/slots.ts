import type { ActivitySlotInfo, CustomSlotSupplier } from '@temporalio/worker';

/** How many activities of a queue run at once; may change while the worker runs. */
export interface Slots {
  /** For the tuner of one Temporal worker. */
  supplier: CustomSlotSupplier<ActivitySlotInfo>;
  /** From now on so many at once. What is under way beyond it finishes. */
  resize(count: number): void;
}

/** Slots of which none is free at first. */
export function createSlots(): Slots {
  let count = 0;
  let taken = 0;
  const waiting = new Set<() => void>();
  const permit = (): object => {
    taken += 1;
    return {};
  };
  const wakeAll = (): void => {
    for (const wake of [...waiting]) if (taken < count) wake();
  };
  return {
    supplier: {
      type: 'custom',
      reserveSlot: (_context, signal) =>
        new Promise((resolve, reject) => {
          const leave = (): void => {
            waiting.delete(wake);
            reject(new DOMException('not needed any more', 'AbortError'));
          };
          const wake = (): void => {
            waiting.delete(wake);
            signal.removeEventListener('abort', leave);
            resolve(permit());
          };
          if (signal.aborted) return leave();
          if (taken < count) return resolve(permit());
          signal.addEventListener('abort', leave, { once: true });
          waiting.add(wake);
        }),
      tryReserveSlot: () => (taken < count ? permit() : null),
      markSlotUsed: () => undefined,
      releaseSlot: () => {
        taken -= 1;
        wakeAll();
      },
    },
    resize: (to) => {
      count = to;
      wakeAll();
    },
  };
}
