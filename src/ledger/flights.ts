/** Work under way in this process, by key: whoever asks for the same joins it. */
export interface Flights<Result> {
  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

interface Flight<Result> {
  result: Promise<Result>;
  passengers: number;
  abort: AbortController;
}

/**
 * One passenger who leaves does not end the flight; the last one does. An attempt that timed out in Temporal's eyes is
 * cancelled while its successor already waits for the same answer: that answer must not be thrown away.
 */
export function createFlights<Result>(): Flights<Result> {
  const flights = new Map<string, Flight<Result>>();

  function take(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const known = flights.get(key);
    if (known && !known.abort.signal.aborted) return known;
    const abort = new AbortController();
    // What was aborted may still be writing its end into the ledger: the next flight starts after it.
    const before = known ? known.result.catch(() => undefined) : Promise.resolve();
    const flight: Flight<Result> = { passengers: 0, abort, result: before.then(() => work(abort.signal)) };
    flights.set(key, flight);
    flight.result = flight.result.finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    flight.result.catch(() => undefined);
    return flight;
  }

  return {
    async join(key, signal, work) {
      signal.throwIfAborted();
      const flight = take(key, work);
      flight.passengers += 1;
      let leave = (): void => undefined;
      const left = new Promise<never>((_, reject) => {
        leave = () => {
          flight.passengers -= 1;
          if (flight.passengers === 0) flight.abort.abort(signal.reason);
          // The last one waits for the flight to end: its ambiguous send is written before the caller goes on.
          else reject(signal.reason as Error);
        };
      });
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await Promise.race([flight.result, left]);
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
  };
}
