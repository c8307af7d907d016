/** One failure in twenty is a provider's daily life; three without an answer between them are an outage. */
const OUTAGE_AFTER = 3;
const STEP_MS = 1_000;
/** A probe so often costs nothing, and a provider that is back is noticed. */
const LONGEST_HOLD_MS = 10_000;

/** Whether a provider is down, learnt from failures that are neither refusals nor answers. */
export interface ProviderTrouble {
  isDown(): boolean;
  answered(): void;
  /**
   * A request failed.
   * @param round what `round()` said when it was sent
   * @returns how long nobody should send; 0 when it is no outage, or when the failure is of requests sent before the last hold
   */
  failed(round: number): number;
  round(): number;
}

/** Holds grow by a second with each probe that fails, and are forgotten with the first answer. */
export function createProviderTrouble(): ProviderTrouble {
  let failures = 0;
  let holds = 0;
  let round = 0;
  return {
    isDown: () => failures >= OUTAGE_AFTER,
    round: () => round,
    answered() {
      failures = 0;
      holds = 0;
    },
    failed(sentInRound) {
      failures += 1;
      if (failures < OUTAGE_AFTER || sentInRound !== round) return 0;
      round += 1;
      holds += 1;
      return Math.min(STEP_MS * holds, LONGEST_HOLD_MS);
    },
  };
}
