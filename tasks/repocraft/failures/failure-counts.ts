import type { TrialRow } from '../../../src/ports/records.js';
import { FAILURE_CLASSES, type FailureClass, type FailureClassCode } from '../stages/failure-class.js';

/** Failed trials of a system by the class of their failure, and beside them what is nobody's: errors of ours. */
export interface FailureCounts {
  failed: number;
  /** A class counts its finer ones as well: `generation` has `generation.logic` in it. Null where no failed trial tells its own. */
  classes: Record<FailureClass, number> | null;
  /** Failed without a class: ended by the system's own limit, or graded before rows told it. */
  untold: number;
  /** Trials without a verdict, by who is to blame; no part of a rate. */
  errored: { infrastructure: number; harness: number };
}

/** The counts of a set of trials. */
export function failureCounts(trials: readonly TrialRow[]): FailureCounts {
  const failed = trials.filter(({ outcome }) => outcome === 'failed');
  const codeOf = (name: FailureClass): FailureClassCode => `class.${name}`;
  const told = failed.flatMap(({ metrics }) => FAILURE_CLASSES.find((name) => metrics[codeOf(name)] === 1) ?? []);
  const count = (name: FailureClass): number =>
    told.filter((each) => each === name || each.startsWith(`${name}.`)).length;
  const errored = (blame: string): number =>
    trials.filter((trial) => trial.outcome === 'errored' && trial.blame === blame).length;
  return {
    failed: failed.length,
    classes:
      failed.length > 0 && told.length === 0
        ? null
        : (Object.fromEntries(FAILURE_CLASSES.map((name) => [name, count(name)])) as Record<FailureClass, number>),
    untold: failed.length - told.length,
    errored: { infrastructure: errored('infrastructure'), harness: errored('harness') },
  };
}
