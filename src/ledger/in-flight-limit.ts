/** Where a limit begins; most providers give a new key more than eight at once. */
const START = 8;
/** Successes after which one more is tried. */
const SUCCESSES_A_STEP = 20;
/** What a refusal (429) leaves of the limit. */
const AFTER_REFUSAL = 0.7;

/** A change, for the log. */
export interface LimitChange {
  from: number;
  to: number;
  reason: string;
}

/** How many requests to one provider key may be in flight, learnt from how they end. */
export interface InFlightLimit {
  /** Takes a place below the limit and the ceiling; undefined when there is none. */
  take(ceiling: number): InFlight | undefined;
}

/** One request in flight. Each of its methods frees the place; only the first call counts. */
export interface InFlight {
  succeeded(): void;
  /** False when it was sent before the last refusal, of which it then says no more than is known. */
  refused(): boolean;
  left(): void;
}

/** Starts at 8; +1 for 20 successes, ×0.7 for a refusal, never below 1, never above the ceiling of who asks. */
export function createInFlightLimit(onChange: (change: LimitChange) => void): InFlightLimit {
  let limit = START;
  let inFlight = 0;
  let successes = 0;
  let refusals = 0;

  function change(to: number, reason: string): void {
    const from = Math.floor(limit);
    limit = to;
    successes = 0;
    if (Math.floor(to) !== from) onChange({ from, to: Math.floor(to), reason });
  }

  return {
    take(ceiling) {
      if (inFlight >= Math.min(Math.floor(limit), ceiling)) return undefined;
      inFlight += 1;
      const refusalsBefore = refusals;
      let isOver = false;
      const leave = (): boolean => {
        if (isOver) return false;
        isOver = true;
        inFlight -= 1;
        return true;
      };
      return {
        left: () => void leave(),
        succeeded() {
          if (!leave()) return;
          successes += 1;
          if (successes < SUCCESSES_A_STEP || limit >= ceiling) return;
          change(Math.min(limit + 1, ceiling), `${SUCCESSES_A_STEP} answers without a refusal`);
        },
        refused() {
          if (!leave() || refusals !== refusalsBefore) return false;
          refusals += 1;
          change(Math.max(1, Math.min(limit, ceiling) * AFTER_REFUSAL), 'refused with 429');
          return true;
        },
      };
    },
  };
}
