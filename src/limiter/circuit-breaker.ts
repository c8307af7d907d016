/** One failure in twenty is a provider's daily life; three without an answer between them are an outage. */
const OUTAGE_AFTER = 3;
const STEP_MS = 1_000;
/** A probe so often costs nothing, and a provider that is back is noticed. */
const LONGEST_HOLD_MS = 10_000;

/** Whether a provider is down, learnt from failures that are neither refusals nor answers. */
export interface CircuitBreaker {
  isOpen(): boolean;
  answered(): void;
  /**
   * A request failed.
   * @param epoch what `epoch()` said when it was sent
   * @returns how long nobody should send; 0 when it is no outage, or when the failure is of requests sent before the last hold
   */
  failed(epoch: number): number;
  epoch(): number;
}

/** Holds grow by a second with each probe that fails, and are forgotten with the first answer. */
export function createCircuitBreaker(): CircuitBreaker {
  let failures = 0;
  let holds = 0;
  let epoch = 0;
  return {
    isOpen: () => failures >= OUTAGE_AFTER,
    epoch: () => epoch,
    answered() {
      failures = 0;
      holds = 0;
    },
    failed(sentInEpoch) {
      failures += 1;
      if (failures < OUTAGE_AFTER || sentInEpoch !== epoch) return 0;
      epoch += 1;
      holds += 1;
      return Math.min(STEP_MS * holds, LONGEST_HOLD_MS);
    },
  };
}
