import { whyLeft } from '../../../domain/failure/left-waiting.js';

/** Permission to run, for a limited number at once, first come first served. */
export interface Slots {
  /** Resolves with slot numbers once they are free: one, or all of them when `exclusive`. Rejects as `whyLeft` says. */
  acquire(exclusive: boolean, signal: AbortSignal): Promise<number[]>;
  release(slots: number[]): void;
}

interface Waiter {
  count: number;
  grant(slots: number[]): void;
}

const MISSED = 'no sandbox of this worker became free in the time of the attempt';

/** `count` runs at once. */
export function createSlots(count: number): Slots {
  const free = Array.from({ length: count }, (_, slot) => slot);
  const waiting: Waiter[] = [];

  function serve(): void {
    for (let next = waiting[0]; next && next.count <= free.length; next = waiting[0]) {
      waiting.shift();
      next.grant(free.splice(0, next.count));
    }
  }

  async function acquire(exclusive: boolean, signal: AbortSignal): Promise<number[]> {
    if (signal.aborted) throw whyLeft(signal, MISSED);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(whyLeft(signal, MISSED));
        serve();
      };
      const waiter: Waiter = {
        count: exclusive ? count : 1,
        grant(slots) {
          signal.removeEventListener('abort', onAbort);
          resolve(slots);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.push(waiter);
      serve();
    });
  }

  function release(slots: number[]): void {
    free.push(...slots);
    serve();
  }

  return { acquire, release };
}
