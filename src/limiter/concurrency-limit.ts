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
  /**
   * Takes a place for a campaign that wants at most `ceiling` of its own, below the limit and `most` (of all together);
   * undefined when there is none.
   */
  take(asker: { campaign: string; ceiling: number; most?: number }): InFlight | undefined;
}

/** One request in flight. Each of its methods frees the place; only the first call counts. */
export interface InFlight {
  succeeded(): void;
  /** False when it was sent before the last refusal, of which it then says no more than is known. */
  refused(): boolean;
  left(): void;
}

/**
 * No limit but what campaigns ask for until a request is refused: a file that says 60 means 60. Then ×0.7 for a refusal,
 * never below 1, and +1 for 20 successes of those it holds back.
 */
export function createConcurrencyLimit(onChange: (change: LimitChange) => void): InFlightLimit {
  let limit = Infinity;
  let inFlight = 0;
  const own = new Map<string, number>();
  let successes = 0;
  let refusals = 0;

  function change(from: number, to: number, reason: string): void {
    limit = to;
    successes = 0;
    if (Math.floor(to) !== Math.floor(from)) onChange({ from: Math.floor(from), to: Math.floor(to), reason });
  }

  return {
    take({ campaign, ceiling, most = Infinity }) {
      const mine = own.get(campaign) ?? 0;
      if (mine >= ceiling || inFlight >= Math.min(Math.floor(limit), most)) return undefined;
      inFlight += 1;
      own.set(campaign, mine + 1);
      const refusalsBefore = refusals;
      let isOver = false;
      const leave = (): boolean => {
        if (isOver) return false;
        isOver = true;
        inFlight -= 1;
        const left = (own.get(campaign) ?? 1) - 1;
        if (left > 0) own.set(campaign, left);
        else own.delete(campaign);
        return true;
      };
      return {
        left: () => void leave(),
        succeeded() {
          if (!leave()) return;
          successes += 1;
          const holdsBack = inFlight + 1 >= Math.floor(limit);
          if (successes < SUCCESSES_A_STEP || !holdsBack) return;
          change(limit, limit + 1, `${SUCCESSES_A_STEP} answers without a refusal`);
        },
        refused() {
          if (!leave() || refusals !== refusalsBefore) return false;
          refusals += 1;
          const held = Math.min(limit, Math.max(ceiling, inFlight + 1));
          change(held, Math.max(1, held * AFTER_REFUSAL), 'refused with 429');
          return true;
        },
      };
    },
  };
}
