/** Work in progress in this process, by key: whoever asks for the same joins it. */
export interface SingleFlight<Result> {
  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

interface Shared<Result> {
  result: Promise<Result>;
  waiters: number;
  abort: AbortController;
}

/**
 * One waiter that leaves does not end the work; the last one does. An attempt that timed out in Temporal's eyes is
 * cancelled while its successor already waits for the same answer: that answer must not be thrown away.
 */
export function createSingleFlight<Result>(): SingleFlight<Result> {
  const running = new Map<string, Shared<Result>>();

  function take(key: string, work: (signal: AbortSignal) => Promise<Result>): Shared<Result> {
    const known = running.get(key);
    if (known && !known.abort.signal.aborted) return known;
    const abort = new AbortController();
    // What was aborted may still be writing its end into the ledger: the next one starts after it.
    const before = known ? known.result.catch(() => undefined) : Promise.resolve();
    const shared: Shared<Result> = { waiters: 0, abort, result: before.then(() => work(abort.signal)) };
    running.set(key, shared);
    shared.result = shared.result.finally(() => {
      if (running.get(key) === shared) running.delete(key);
    });
    shared.result.catch(() => undefined);
    return shared;
  }

  return {
    async join(key, signal, work) {
      signal.throwIfAborted();
      const shared = take(key, work);
      shared.waiters += 1;
      let leave = (): void => undefined;
      const left = new Promise<never>((_, reject) => {
        leave = () => {
          shared.waiters -= 1;
          if (shared.waiters === 0) shared.abort.abort(signal.reason);
          // The last one waits for the work to end: its ambiguous send is written before the caller goes on.
          else reject(signal.reason as Error);
        };
      });
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await Promise.race([shared.result, left]);
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
  };
}
