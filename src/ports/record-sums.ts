import type { BatchPhase, TrialTimes, WorkSample } from '../contract/plan.js';
import type { Advice } from '../contract/problem.js';
import type { OwnerRef } from '../contract/stage.js';
import type { Outcome } from '../contract/verdict.js';
import type { WorkerLimits } from '../contract/worker-limits.js';
import type { TrialRow } from './record-rows.js';

/** Trials of one system in one group that stand alike: what counts, rates and progress are sums of. */
export interface TrialTally {
  systemId: string;
  group: string;
  /** The last run's, as in {@link TrialRow}. */
  state: TrialRow['state'];
  outcome: Outcome | null;
  /** Those metrics that were asked for; null where `score` gave none. */
  metrics: Record<string, number | null>;
  trials: number;
  /** Runs before the one that counts, of all of them. */
  earlierRuns: number;
  /** The first start and the last end of the runs that did the work, which no regrade is; null where none started or ended. */
  startedAt: string | null;
  endedAt: string | null;
}

/** Tasks of one group that a system did alike in all their repeats. */
export interface TaskTally {
  systemId: string;
  group: string;
  /** Repeats of each of these tasks that passed or failed. */
  graded: number;
  passed: number;
  tasks: number;
}

/** What a system did on one task, all repeats together. */
export interface TaskOutcome {
  systemId: string;
  taskId: string;
  group: string;
  /** Of the task, when it was planned; null where that was not kept. */
  sha256: string | null;
  /** Repeats that passed or failed. */
  graded: number;
  passed: number;
  /** The first repeat that passed, and that failed; null where none did. */
  passedTrial: string | null;
  failedTrial: string | null;
  /** Of the metrics that were asked for, over its graded repeats: their sum, and how many have a value. */
  metrics: Record<string, { sum: number; trials: number }>;
}

/** The trials of one task by one system, as they were planned. */
export interface PlannedTask {
  taskId: string;
  systemId: string;
  repeats: number[];
  /** Of the task, when it was planned. */
  sha256: string | null;
}

/** Where the trials of a campaign stand. */
export interface TrialStates {
  planned: number;
  done: number;
  /** Ids, in plan order. */
  running: string[];
}

/** What the model calls of one system's trials in one group came to. */
export interface TrialSpend {
  systemId: string;
  group: string;
  costMicroUsd: number;
  tokens: number;
}

/** Trials of one system that ended for one reason without passing. */
export interface FailureTally {
  systemId: string;
  outcome: 'failed' | 'errored' | 'not_run';
  blame: string | null;
  /** Dotted reason or failure type; `unknown` where the record has none. */
  reason: string;
  trials: number;
  /** Ids of the first three. */
  examples: string[];
  /** The first one there is. */
  message: string | null;
  /** What was expected and how to fix it, where that is known. */
  advice: Advice | null;
}

/** All trials of a campaign, added up; each list by its first trial in the plan. */
export interface TrialTotals {
  tallies: TrialTally[];
  /** Of campaigns with repeats, in no order; without any where every task is tried once. */
  tasks: TaskTally[];
  failures: FailureTally[];
  /** In no order. */
  spend: TrialSpend[];
  /** Votes that were withheld, in all runs. */
  abstentions: number;
}

/**
 * Model calls and working time of a campaign. Making shared candidates counts under stages `generate` and `prepare` of owner
 * `generation`; the group of a trial is its task's, of a generation its scope.
 */
export interface CampaignUsage {
  /** Calls that were answered or may have been billed. */
  calls: {
    systemId: string;
    group: string;
    stage: string;
    purpose: string;
    model: string;
    calls: number;
    /** Of these, answered without usage: they count at their estimate. */
    withoutUsage: number;
    /** Requests whose usage cannot be: they count at their estimate. */
    implausible: number;
    tokens: number;
    costMicroUsd: number;
    /** Answered with what another campaign got; not among the calls. */
    reusedCalls: number;
    /** What sending those would have cost. */
    savedMicroUsd: number;
  }[];
  /** Attempts of stages, failed ones included; seconds from their start to their end, summed. */
  stages: {
    systemId: string;
    group: string;
    owner: OwnerRef['kind'];
    stage: string;
    attempts: number;
    wallSeconds: number;
  }[];
}

/** What pieces of one kind of work came to, each. */
export type WorkSamples = Record<'calls' | 'tokens' | 'microUsd', WorkSample>;

/** What one batch of a campaign has left to do. */
export interface BatchLeft {
  phase: BatchPhase;
  systemId: string;
  /** Whether its candidate is not made yet. */
  isShared: boolean;
  /** Trials that are not begun. */
  trials: number;
  /** For how many seconds each of its trials has run, or the making of its candidate has; none where it is not begun. */
  running: number[];
}

/** What work like that of a system came to. */
export interface LikeWork {
  systemId: string;
  /** Graded trials, with what making a candidate of their own took. */
  trials: WorkSamples;
  /** Shared candidates that were made. */
  candidates: WorkSamples;
}

/** Trials and shared candidates of a system of a plan whose questions other campaigns have answers to. */
export interface LikeAnswers {
  systemId: string;
  trials: number;
  candidates: number;
}

/** How long work like that of a plan took in the newest campaigns that had some. */
export interface LikeTimes {
  systems: {
    systemId: string;
    /** By campaign, the one that runs among them. */
    trials: TrialTimes[];
    /** Seconds in which shared candidates were made. */
    candidates: WorkSample;
  }[];
  /** Seconds of campaigns that were never interrupted before their first trial or candidate and after the last. */
  edges: { before: number; after: number }[];
  /** Of the workers that live, or of the one that did last. */
  workers: WorkerLimits[];
}
