import type { Advice, Problem } from '../contract/problem.js';
import type { CampaignStatus, DesiredState } from '../contract/campaign.js';
import type { CandidateRef } from '../contract/candidate.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Failure, FailureType } from '../contract/failure.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { StepStage } from '../contract/stage.js';
import type { TrialCounts } from '../contract/status.js';
import type { Outcome, SkippedStage, Verdict } from '../contract/verdict.js';

/** One Temporal attempt of a stage. */
export interface AttemptRecord {
  attempt: number;
  worker: string;
  startedAt: string;
  endedAt: string;
  failure: Failure | null;
  /** Of one that failed: what it had attached until then. That of one that did not is its step's. */
  evidence?: EvidenceRef[];
}

/** One voter's answer. */
export interface VoteRecord {
  match: number;
  round: number;
  voter: number;
  model: string;
  answer: 'yes' | 'no' | 'partial' | 'abstain';
  reason: string;
}

/** Something an operator asked for. */
export interface EventRow {
  at: string;
  author: string;
  /** The command: `resume`, `retry`, `regrade`, `pause`, `cancel`, `budget`; `take-over` by a worker of other workflow code, `stuck` and `moving` by one that saw workflows stand still, and go on again; `review` of a trial; `settings` of `run --id`, `revises` and `revised` of `run --revises`. */
  action: string;
  reason: string;
  details: JsonObject;
}

/** What an operator changes; the rest stays as it is at that moment, whoever else changes it. */
export interface OperatorChange<Whole> {
  change: Partial<Whole>;
  author: string;
  reason: string;
}

/** The whole before and after a change. */
export interface Changed<Whole> {
  before: Whole;
  after: Whole;
}

/** One trial in lists and reports. */
export interface TrialRow {
  id: string;
  campaignId: string;
  batchId: string;
  taskId: string;
  systemId: string;
  repeat: number;
  group: string;
  category: string | null;
  state: 'planned' | 'running' | 'done';
  outcome: Outcome | null;
  blame: string | null;
  reason: string | null;
  message: string | null;
  /** What was expected and how to fix it, where that is known. */
  advice: Advice | null;
  metrics: Record<string, number | null>;
  /** The run that counts: outcome to metrics, start and end are its. */
  n: number;
  /** How many runs there are; `state` is the last one's. */
  runs: number;
  /** The last run of a trial that was graded before; never part of a score. */
  again: { n: number; outcome: Outcome | null; reason: string | null } | null;
  /** What the run that counts says anew: the verdict before it was regraded; and when the run that did the work began and ended. */
  regraded: {
    n: number;
    outcome: Outcome | null;
    reason: string | null;
    made: { startedAt: string | null; endedAt: string | null };
  } | null;
  startedAt: string | null;
  endedAt: string | null;
  /** Of all its runs. */
  costMicroUsd: number;
  tokens: number;
  /** Calls of all its runs that were answered with what another campaign got. */
  reusedCalls: number;
}

/** What the model calls of an account came to. */
export interface Spend {
  microUsd: number;
  tokens: number;
  calls: number;
  repeatedCalls: number;
  /** Lost answers that were fetched from their provider; among the calls, never among the repeated ones for that. */
  recoveredCalls: number;
  /** Answered calls that were asked again by a later attempt and answered from the record; not paid again. */
  replayedCalls: number;
  /** Answers of other campaigns; not among the calls, and nothing was paid for them. */
  reusedCalls: number;
  /** What sending the calls of reused answers would have cost. */
  saved: { microUsd: number; tokens: number };
  /** Requests whose provider claimed a usage that cannot be; they are in the sums at their estimate. */
  implausible: number;
  /** Requests that may have been billed and brought no usable answer; they are in the sums at their estimate, and no calls. */
  unanswered: number;
  /** What requests came to above what was reserved for them; part of the sums. */
  overshoot: { microUsd: number; tokens: number; requests: number };
}

/** A campaign in lists. */
export interface CampaignRow {
  id: string;
  name: string;
  /** Words to find it by; empty for none. */
  tags: string[];
  suite: string;
  dataset: string;
  status: CampaignStatus;
  desiredState: DesiredState;
  epoch: number;
  /** Id of the Temporal namespace it was run in last; null before. */
  server: string | null;
  /** Digest of the workflow code it was started on last; '' of before it was kept. */
  code: string;
  /** Why its workflows cannot go on, as a worker has seen it; null where none has. */
  stuck: string | null;
  createdAt: string;
  endedAt: string | null;
  /** The campaign it is a revision of. */
  revises: string | null;
  /** Revisions of it, oldest first. */
  revisedBy: string[];
  trials: TrialCounts;
  spend: Spend;
  /** What counts against the limits beside money: seconds it ran, pauses left out, and trials that were ever started. */
  work: {
    seconds: number;
    trials: number;
    /** When it ran, oldest first; `to` is null of the stretch that is not over. */
    stretches: { from: string; to: string | null }[];
  };
}

/** A step with its result and evidence. */
export interface StepRow {
  stage: StepStage;
  step: string;
  n: number;
  attempt: number;
  result: Json;
  evidence: EvidenceRef[];
  /** Model calls of the step in all runs that were answered, and those of them that were replayed. */
  calls: { answered: number; replayed: number; reused: number };
  startedAt: string;
  endedAt: string;
}

/** One request of a model call, as the ledger has it. */
export interface SendRow {
  attempt: number;
  state: 'reserved' | 'sent' | 'settled' | 'released' | 'ambiguous';
  /** What was reserved for it. */
  estimateMicroUsd: number;
  /** Null until it is settled, and where nothing was billed. */
  actualMicroUsd: number | null;
  actualTokens: number | null;
  /** Why it brought no answer; null where it did. */
  reason: string | null;
}

/** One question to a model, with every request that was sent for it. */
export interface CallRow {
  key: string;
  stage: string;
  step: string;
  purpose: string;
  /** Key into the campaign's models. */
  model: string;
  state: 'open' | 'answered';
  /** Asked again by a later attempt, and answered from the record. */
  isReplayed: boolean;
  /** Answered with what another campaign got: null where it was not, else what sending it would have cost. */
  saved: { microUsd: number; tokens: number } | null;
  askedAt: string;
  answeredAt: string | null;
  request: EvidenceRef;
  /** Null while there is no answer. */
  response: EvidenceRef | null;
  sends: SendRow[];
  costMicroUsd: number;
  tokens: number;
}

/** Something outside (Docker, a provider), or something its worker lacks, that running work of a campaign waits for; attempts at it go on by themselves. */
export interface Wait extends Problem {
  type: FailureType;
  /** Trials and generations whose last attempt failed for it. */
  owners: number;
  /** How many of these are generations. */
  generations: number;
  /** When the first of these attempts failed. */
  since: string;
  lastTriedAt: string;
  /** `message`, `expected` and `fix` are the last one's. */
}

/** Why a run was planned: `grade` to get the trial graded, `again` though it was graded before, `regrade` for its verdict alone. */
export type RunKind = 'grade' | 'again' | 'regrade';

/** The making of one shared candidate. */
export interface GenerationRow {
  id: string;
  campaignId: string;
  systemId: string;
  scope: string;
  repeat: number;
  n: number;
  /** `running` also while it is paused. */
  state: 'planned' | 'running' | 'done';
  /** Why it ended without a candidate. */
  failure: Failure | null;
  candidate: CandidateRef | null;
  /** The step that ended last; null before the first, and once it is done. */
  lastStep: { stage: StepStage; step: string } | null;
  startedAt: string | null;
  endedAt: string | null;
  /** Of its own calls; grading is not among them. */
  costMicroUsd: number;
  tokens: number;
}

/** One run of a trial: run n+1 is planned when run n was interrupted, or is wanted again. */
export interface RunRow {
  n: number;
  workflowId: string | null;
  workflowRunId: string | null;
  kind: RunKind;
  /** The graded run that one of kind `again` or `regrade` is about. */
  ofRun: number | null;
  /** null while it is open, and for a run that was cut off (reason `run.interrupted`). */
  outcome: Outcome | null;
  blame: string | null;
  reason: string | null;
  message: string | null;
  /** What was expected and how to fix it, where that is known. */
  advice: Advice | null;
  verdict: Verdict | null;
  skipped: SkippedStage[];
  startedAt: string | null;
  endedAt: string | null;
}
