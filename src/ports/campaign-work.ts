import type { CampaignLock, CampaignSpec, CampaignStatus } from '../contract/campaign.js';
import type { CandidateRef } from '../contract/candidate.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Failure } from '../contract/failure.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { BatchPhase } from '../contract/plan.js';
import type { OwnerRef, StepStage } from '../contract/stage.js';
import type { TaskSummary } from '../contract/task.js';
import type { Outcome, TrialEnd } from '../contract/verdict.js';
import type { AttemptRecord, VoteRecord } from './record-rows.js';

/** A batch as the campaign workflow pages through them. */
export interface BatchKey {
  id: string;
  phase: BatchPhase;
}

/** What a claim answers. `skip`: already finished; `hold`: paused; `stop`: cancelled, superseded or out of budget. */
export type Claim =
  | { action: 'run'; n: number; suite: string; spec: JsonObject }
  | { action: 'skip'; outcome: Outcome | null }
  | { action: 'pause' }
  | { action: 'stop'; reason: 'operator.cancelled' | 'operator.superseded' | 'budget.exhausted' };

/** Everything a stage needs to know of its owner. */
export interface OwnerContext {
  campaign: { id: string; spec: CampaignSpec; lock: CampaignLock };
  /** Made with the campaign, told to nobody else: what graders draw by. */
  secret: string;
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
  /** How often a shared candidate was begun: once more with each retry or resume. 1 for a trial. */
  run: number;
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

/** What workflows and stages read and write of a campaign. Every writing method names an epoch, and throws `operator.superseded` when it is stale. */
export interface CampaignWork {
  // --- campaign workflow (local activities)
  /**
   * Raises the epoch, sets status running. Interrupted trials get run n+1, cut-off generations are made again; what has
   * ended stays (`planRuns`). A cancelled campaign is only opened to be closed: nothing is planned. `server`: the
   * Temporal namespace it runs in, `code`: digest of the workflow code it runs on; without them, as the campaign has them.
   * `isOverLimit`: there may be more trials than the budget lets start; `limitTrials` before anything is dispatched.
   * @throws DomainFailure `operator.superseded` when the campaign was handed to another server (`planRuns`,
   * `placeCampaign`): an open that was delayed does not take it back
   */
  openCampaign(
    campaignId: string,
    server?: string,
    code?: string,
  ): Promise<{
    epoch: number;
    batchCount: number;
    concurrency: { batches: number; trials: number };
    isOverLimit: boolean;
  }>;
  /**
   * Ends the next trials of an opened campaign that the budget's limit on trials leaves no room for, in a short
   * transaction. `isOverLimit`: there may be more, by calling again.
   */
  limitTrials(input: { campaignId: string; epoch: number }): Promise<{ isOverLimit: boolean }>;
  /** Batches after the key, at most 50, in plan order; finished ones left out. */
  batchPage(input: { campaignId: string; epoch: number; after: string | null }): Promise<BatchKey[]>;
  /**
   * Settles what dead workers left in the ledger, sweeps what is still open into `not_run` (blame operator when cancelled, budget when it is spent, else harness), or
   * into the end that `failure` means when that is why batches could not be run, and
   * sets the final status: `completed` unless something was left `not_run` by a cancel or a spent budget. Idempotent.
   * A large campaign is closed in chunks, each a short transaction: status null means that there is more to close, by
   * calling again.
   */
  closeCampaign(input: {
    campaignId: string;
    epoch: number;
    /** The workflow itself was cancelled (Temporal's UI or CLI): counts like the desired state `cancel`. */
    cancelled?: boolean;
    /** Why its batches could not be run to their end; absent or null when they were. */
    failure?: Failure | null;
  }): Promise<{ status: CampaignStatus | null }>;

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
  }): Promise<{ action: 'run' } | Extract<Claim, { action: 'pause' | 'stop' }>>;
  closeGeneration(input: {
    generationId: string;
    epoch: number;
    candidate: CandidateRef | null;
    failure: Failure | null;
  }): Promise<void>;

  // --- trial workflow
  /** Asked again by the same workflow run (an activity's retry) it answers the same run again. */
  claimTrial(input: { trialId: string; epoch: number; workflowId: string; workflowRunId: string }): Promise<Claim>;
  /**
   * Asked between two turns of a long trial: may run n go on? `pause`: it is put back, to be claimed again as the same run;
   * asked again by whoever was put back it says so again.
   */
  admitTrial(input: {
    trialId: string;
    epoch: number;
    n: number;
  }): Promise<{ action: 'run' } | Extract<Claim, { action: 'pause' | 'stop' }>>;
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
}
