import type { Advice } from './problem.js';
import type { Blame } from './failure.js';
import type { StageName } from './stage.js';

/** How a trial ended. `passed` and `failed` are graded; `errored` and `not_run` are outside the denominator and printed beside it. */
export type Outcome = 'passed' | 'failed' | 'not_run' | 'errored';

/** What `score` says of one trial. */
export interface Verdict {
  passed: boolean;
  /** Dotted reason codes, most important first: `test.assertion`, `candidate.timeout`. Empty when passed. */
  reasons: string[];
  /** The suite's per-trial metrics. From 0 to 1 where a column shows their mean; null means "does not apply", never zero. */
  metrics: Record<string, number | null>;
}

/** A stage that was not scheduled, and why. */
export interface SkippedStage {
  stage: StageName;
  reason: string;
}

/** Everything `closeTrial` writes. */
export interface TrialEnd {
  outcome: Outcome;
  /** Null for `passed`. */
  blame: Blame | null;
  /** Dotted code or failure type; null for `passed`. */
  reason: string | null;
  /** One sentence for a person, below 2 KB; null when the reason says it all. */
  message: string | null;
  /** What was expected and how to fix it, where that is known. */
  advice?: Advice | null;
  /** Null when the trial was not graded. */
  verdict: Verdict | null;
  skipped: SkippedStage[];
}

/** What a person says of a graded trial, beside what its grader said. */
export type TrialReview = {
  /** The trial's id. */
  trial: string;
  /** One of the suite's own, as the grader gave it. */
  judged: string;
  /** The person's. */
  status: string;
};

/** A review as it was kept. */
export type RecordedReview = TrialReview & {
  author: string;
  reason: string;
  /** ISO, UTC. */
  at: string;
};
