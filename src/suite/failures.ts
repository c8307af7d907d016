import type { Blame } from '../contract/failure.js';
import type { StageName } from '../contract/stage.js';
import type { TrialRow } from '../ports/records.js';

/** What a class and a stage are told from. */
export type FailedTrial = Pick<TrialRow, 'reason' | 'metrics'>;

/**
 * Which trials of a system a rule counts: of those that failed, the ones of a class (its finer ones with it) or those that
 * a stage ended; of those that ended (passed, failed, errored), the errored ones that something is to blame for.
 */
export type CountedTrials = { class: string } | { stage: StageName } | { blame: Blame };

/** What to try where a system lost many trials in one way. */
export interface FailureRule {
  /** Unique among the rules of the suite and of the engine. */
  id: string;
  counts: CountedTrials;
  /** A share, from 0 to 1. */
  above: number;
  /** A sentence, with the option or the command. */
  advice: string;
}

/** How a suite's failed trials are analysed in reports. Without it, the reason of a trial is its class. */
export interface SuiteFailures {
  /** Whose failure it points to, as a code of `explanations`; a finer class after a dot. Null where that is not told. */
  classOf(trial: FailedTrial): string | null;
  /** Where it was lost; null where that is not told. */
  stageOf(trial: FailedTrial): StageName | null;
  /** How hard tasks are, by id, the easy ones first. Absent where a suite does not say. */
  difficulties?(suiteFolder: string): Promise<ReadonlyMap<string, string>>;
  rules: readonly FailureRule[];
}
