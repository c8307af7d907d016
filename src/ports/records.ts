import type {
  BudgetSpec,
  CampaignLock,
  CampaignSpec,
  CampaignStatus,
  DesiredState,
  InstallationBudget,
} from '../contract/campaign.js';
import type { CandidateIntegrity, CandidateRef } from '../contract/candidate.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Failure, FailureType } from '../contract/failure.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { BatchLane, CampaignPlan } from '../contract/plan.js';
import type { OwnerRef, StepStage } from '../contract/stage.js';
import type { TaskSummary } from '../contract/task.js';
import type { Outcome, SkippedStage, TrialEnd, Verdict } from '../contract/verdict.js';
import type { Leases } from './leases.js';

export type { BatchLane, CampaignPlan, PlannedBatch, PlannedTrial } from '../contract/plan.js';

/** A batch as the campaign workflow pages through them. */
export interface BatchKey {
  id: string;
  lane: BatchLane;
}

/** Which runs a verb asks for. */
export type RunSelection =
  /** What is planned, was interrupted, or was not run. */
  | { verb: 'resume' }
  /** Trials by their last run's outcome, or by id. `fresh`: their model calls are made anew. */
  | { verb: 'retry'; which: 'errored' | 'not_run' | 'failed' | readonly string[]; fresh: boolean }
  /** The score of everything graded, and the vote. */
  | { verb: 'regrade'; vote: boolean };

/** One run that a verb plans. */
export interface PlannedRun {
  trialId: string;
  systemId: string;
  n: number;
  kind: RunKind;
  /** What became of the run before: `interrupted`, `errored: sandbox.lost`, … */
  why: string;
}

/** A worker that may still be running a campaign from another server. */
export interface Holder {
  instance: string;
  host: string;
  pid: number;
  leaseUntil: string;
}

/** Something an operator asked for. */
export interface EventRow {
  at: string;
  author: string;
  /** The verb: `resume`, `retry`, `regrade`, `pause`, `cancel`, `budget`; `settings` of `run --id`. */
  action: string;
  reason: string;
  details: JsonObject;
}

/** What a claim answers. `skip`: already finished; `hold`: paused; `stop`: cancelled, superseded or out of budget. */
export type Claim =
  | { action: 'run'; n: number; suite: string; brief: JsonObject }
  | { action: 'skip'; outcome: Outcome | null }
  | { action: 'hold' }
  | { action: 'stop'; reason: 'operator.cancelled' | 'operator.superseded' | 'budget.exhausted' };

/** Everything a stage needs to know of its owner. */
export interface OwnerContext {
  campaign: { id: string; spec: CampaignSpec; lock: CampaignLock };
  owner: OwnerRef;
  systemId: string;
  repeat: number;
  /** null for generations. */
  task: TaskSummary | null;
  /** The candidate's scope; null where trials make their own. */
  scope: string | null;
  /** What `trialSettings` or the plan gave the owner. */
  settings: JsonObject;
  /** The run that asked for fresh samples; 0: answers given before are used. */
  fresh: number;
  candidate: CandidateRef | null;
  /** Result of `prepare` for the shared candidate. */
  prepared: Json | null;
}

/** A finished step. */
export interface StepRecord {
  owner: OwnerRef;
  epoch: number;
  n: number;
  stage: StepStage;
  step: string;
  inputHash: string;
  result: Json;
  evidence: EvidenceRef[];
  votes: VoteRecord[];
  attempt: AttemptRecord;
}

/** One Temporal attempt of a stage. */
export interface AttemptRecord {
  attempt: number;
  worker: string;
  startedAt: string;
  endedAt: string;
  failure: Failure | null;
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
  metrics: Record<string, number | null>;
  /** The run that counts: outcome to metrics, start and end are its. */
  n: number;
  /** How many runs there are; `state` is the last one's. */
  runs: number;
  /** The last run of a trial that was graded before; never part of a score. */
  again: { n: number; outcome: Outcome | null; reason: string | null } | null;
  /** What the run that counts says anew: the verdict before it was regraded. */
  regraded: { n: number; outcome: Outcome | null; reason: string | null } | null;
  startedAt: string | null;
  endedAt: string | null;
  /** Of all its runs. */
  costMicroUsd: number;
  tokens: number;
}

/** A campaign in lists. */
export interface CampaignRow {
  id: string;
  name: string;
  suite: string;
  dataset: string;
  status: CampaignStatus;
  desiredState: DesiredState;
  epoch: number;
  /** Id of the Temporal namespace it was run in last; null before. */
  server: string | null;
  createdAt: string;
  endedAt: string | null;
  trials: { planned: number; done: number; passed: number; failed: number; errored: number; not_run: number };
  spend: {
    microUsd: number;
    tokens: number;
    calls: number;
    repeatedCalls: number;
    /** What requests came to above what was reserved for them; part of the sums. */
    overshoot: { microUsd: number; tokens: number; requests: number };
  };
  /** What counts against the limits beside money: seconds it ran, pauses left out, and trials that were ever started. */
  work: { seconds: number; trials: number };
}

/** A step with its result and evidence. */
export interface StepRow {
  stage: StepStage;
  step: string;
  n: number;
  attempt: number;
  result: Json;
  evidence: EvidenceRef[];
  startedAt: string;
  endedAt: string;
}

/** Something outside (Docker, a provider) that running work of a campaign waits for; attempts at it go on by themselves. */
export interface Wait {
  type: FailureType;
  /** Trials and generations whose last attempt failed for it. */
  owners: number;
  /** When the first of these attempts failed. */
  since: string;
  lastTriedAt: string;
  /** What the last one said. */
  message: string;
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
  /** `running` also while it is held. */
  state: 'planned' | 'running' | 'done';
  /** Why it ended without a candidate. */
  failure: Failure | null;
  candidate: CandidateRef | null;
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
  verdict: Verdict | null;
  skipped: SkippedStage[];
  startedAt: string | null;
  endedAt: string | null;
}

/** Model calls and working time of a campaign. Making shared candidates counts under stages `generate` and `prepare` of owner `generation`. */
export interface CampaignUsage {
  /** Calls that were answered or may have been billed. */
  calls: {
    systemId: string;
    stage: string;
    purpose: string;
    model: string;
    calls: number;
    tokens: number;
    costMicroUsd: number;
  }[];
  /** Attempts of stages, failed ones included; seconds from their start to their end, summed. */
  stages: { systemId: string; owner: OwnerRef['kind']; stage: string; attempts: number; wallSeconds: number }[];
}

/** The record: plan, claims, results, desired state. Totals are sums over rows. Every writing method takes part in the epoch guard where it names an epoch, and throws `operator.superseded` when stale. */
export interface Records extends Leases {
  // --- plan
  /**
   * All or nothing. Attaches when the id exists with an equal lock: what the lock leaves out (concurrency, endpoints,
   * names of keys, budget) is taken from the new plan, an event says so, and nothing that is finished is touched.
   * Fails when it has another lock.
   */
  createCampaign(plan: CampaignPlan, author?: string): Promise<void>;

  // --- campaign workflow (local activities)
  /**
   * Raises the epoch, sets status running. Interrupted trials get run n+1, cut-off generations are made again; what has
   * ended stays (`planRuns`). A cancelled campaign is only opened to be closed: nothing is planned. `server`: the
   * Temporal namespace it runs in; without it, wherever the campaign is.
   * @throws DomainFailure `operator.superseded` when the campaign was handed to another server (`planRuns`,
   * `placeCampaign`): an open that was delayed does not take it back
   */
  openCampaign(
    campaignId: string,
    server?: string,
  ): Promise<{ epoch: number; batchCount: number; concurrency: { batches: number; trials: number } }>;
  /** Batches after the key, at most 50, in plan order; finished ones left out. */
  batchPage(input: { campaignId: string; epoch: number; after: string | null }): Promise<BatchKey[]>;
  /**
   * Settles what dead workers left in the ledger, sweeps what is still open into `not_run` (blame operator when cancelled, budget when it is spent, else harness), or
   * into the end that `failure` means when that is why batches could not be run, and
   * sets the final status: `completed` unless something was left `not_run` by a cancel or a spent budget. Idempotent.
   */
  closeCampaign(input: {
    campaignId: string;
    epoch: number;
    /** The workflow itself was cancelled (Temporal's UI or CLI): counts like the desired state `cancel`. */
    cancelled?: boolean;
    /** Why its batches could not be run to their end; absent or null when they were. */
    failure?: Failure | null;
  }): Promise<{ status: CampaignStatus }>;

  // --- batch workflow
  claimBatch(input: {
    batchId: string;
    epoch: number;
  }): Promise<
    | { action: 'run'; campaignId: string; suite: string; generationId: string | null; window: number }
    | Exclude<Claim, { action: 'run' }>
  >;
  /** Trial ids after the key, at most 50, in plan order; finished ones left out. */
  trialPage(input: { batchId: string; epoch: number; after: string | null }): Promise<string[]>;
  /** Closes open rows: trials still open get the given end (a generation that failed, a terminated child); closes the batch. Idempotent. */
  closeBatch(input: { batchId: string; epoch: number; openTrials: TrialEnd | null }): Promise<void>;

  // --- generation workflow
  /** `skip` with outcome null: it has its candidate; `errored` or `not_run`: it failed for good in this epoch. */
  claimGeneration(input: { generationId: string; epoch: number; workflowRunId: string }): Promise<Claim>;
  /** Asked between two units of a long generation: may it go on? Held, too, once an operator has edited it (`recordEdit`): claimed again it begins with the edit. */
  admitGeneration(input: {
    generationId: string;
    epoch: number;
  }): Promise<{ action: 'run' } | Extract<Claim, { action: 'hold' | 'stop' }>>;
  closeGeneration(input: {
    generationId: string;
    epoch: number;
    candidate: CandidateRef | null;
    failure: Failure | null;
  }): Promise<void>;

  // --- trial workflow
  /** Asked again by the same workflow run (an activity's retry) it answers the same run again. */
  claimTrial(input: { trialId: string; epoch: number; workflowId: string; workflowRunId: string }): Promise<Claim>;
  /** Idempotent; guarded by (epoch, n). A trial that ended keeps its first end of that run. */
  closeTrial(input: { trialId: string; epoch: number; n: number; end: TrialEnd }): Promise<void>;

  // --- stages
  /** Throws `operator.superseded` when the epoch is stale, so that no work is begun in vain, and `budget.exhausted` when the campaign's hours are over. */
  ownerContext(owner: OwnerRef, epoch: number): Promise<OwnerContext>;
  /** What the owner's model calls have cost so far. */
  ownerCost(owner: OwnerRef): Promise<{ microUsd: number; tokens: number }>;
  findStep(input: {
    owner: OwnerRef;
    n: number;
    stage: StepStage;
    step: string;
    inputHash: string;
  }): Promise<Json | undefined>;
  /** The last result of each of the steps that is done, by step name. */
  findSteps(input: { owner: OwnerRef; stage: StepStage; steps: readonly string[] }): Promise<Record<string, Json>>;
  /**
   * Result, evidence, votes and attempt in one transaction, guarded by epoch and n. Gives the result that stands: the
   * one recorded first for this owner, stage, step and input, which is what the stage must return.
   */
  recordStep(record: StepRecord): Promise<Json>;
  /** A failure `budget.exhausted` also stops further claims of the campaign. */
  recordFailedAttempt(input: {
    owner: OwnerRef;
    epoch: number;
    n: number;
    stage: StepStage;
    step: string;
    attempt: AttemptRecord;
  }): Promise<void>;

  // --- operator and reports
  /** Recorded as an event each time. An ended campaign can only be set to `run`; one never opened is ended by `cancel`. */
  setDesiredState(input: { campaignId: string; state: DesiredState; author: string; reason: string }): Promise<void>;
  /**
   * The operator's limits from now on, recorded as an event; what was spent before counts. A campaign that its budget
   * had stopped admits again, unless a soft limit is still reached; trials that are ended as not run come back by a resume.
   */
  setBudget(input: { campaignId: string; budget: BudgetSpec; author: string; reason: string }): Promise<void>;
  /** The operator's limit over all campaigns, and what all of them spent so far. */
  installationBudget(): Promise<{ budget: InstallationBudget; spent: { microUsd: number; tokens: number } }>;
  /** Sets it from now on, recorded as an event; what was spent before counts. A campaign it has stopped goes on by a resume. */
  setInstallationBudget(input: { budget: InstallationBudget; author: string; reason: string }): Promise<void>;
  /**
   * Plans the runs that a verb asks for and opens the campaign to them, in one transaction; whoever ran it before is
   * superseded. Then its workflow is started. `isDryRun` only tells. In plan order.
   * @throws RecordsProblem when the campaign's epoch is not the given one any more
   */
  planRuns(input: {
    campaignId: string;
    selection: RunSelection;
    isDryRun: boolean;
    /** As the caller saw it. */
    epoch: number;
    /** Where it will run: id of a Temporal namespace. */
    server: string;
    author: string;
    reason: string;
    /** More for the event. */
    details?: JsonObject;
  }): Promise<PlannedRun[]>;
  /**
   * Says where the campaign will run, before its workflow is started there without a plan: no other server can open it
   * from then on, and whoever runs it on another one is superseded.
   */
  placeCampaign(input: { campaignId: string; server: string }): Promise<void>;
  /** A live worker of another server from which the campaign, whose books are open, was run last; else null. */
  holder(input: { campaignId: string; server: string }): Promise<Holder | null>;
  /** What operators asked of the campaign (null: of the installation), oldest first. */
  events(campaignId: string | null): Promise<EventRow[]>;
  /**
   * Puts what an operator made into the records as a step of a generation, with the event that says so: whoever looks
   * for that step later finds this one. `isDryRun` only checks that it may.
   * @throws RecordsProblem while the campaign runs, and when the generation has its candidate
   */
  recordEdit(input: {
    generationId: string;
    stage: StepStage;
    step: string;
    result: Json;
    evidence: EvidenceRef[];
    author: string;
    reason: string;
    /** More for the event. */
    details: JsonObject;
    isDryRun: boolean;
  }): Promise<void>;
  /** `latest`, an id or a unique prefix → the id; null when nothing or several match. */
  resolveCampaign(idOrPrefix: string): Promise<string | null>;
  listCampaigns(limit: number): Promise<CampaignRow[]>;
  campaign(campaignId: string): Promise<CampaignRow & { spec: CampaignSpec; lock: CampaignLock }>;
  /** What its running trials and generations wait for now, the longest wait first; empty when nothing is away. */
  waits(campaignId: string): Promise<Wait[]>;
  trials(campaignId: string): Promise<TrialRow[]>;
  /** One row for every shared candidate there is, in plan order; each is a sum over the trials of its batches as they stand. */
  integrity(campaignId: string): Promise<CandidateIntegrity[]>;
  trial(trialId: string): Promise<{
    trial: TrialRow;
    runs: RunRow[];
    steps: StepRow[];
    votes: VoteRecord[];
    attempts: (AttemptRecord & { stage: string; step: string; n: number })[];
  }>;
  /** Shared candidates and their making, in plan order. */
  generations(campaignId: string): Promise<GenerationRow[]>;
  generation(generationId: string): Promise<{
    generation: GenerationRow;
    steps: StepRow[];
    attempts: (AttemptRecord & { stage: string; step: string; n: number })[];
  }>;
  /** What model calls and stages came to, by system. */
  campaignUsage(campaignId: string): Promise<CampaignUsage>;
  /** Every blob hash any row refers to, for garbage collection. */
  referencedBlobs(): Promise<string[]>;
}
