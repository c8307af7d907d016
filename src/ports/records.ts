import type {
  BudgetSpec,
  CampaignLock,
  CampaignSpec,
  CampaignStatus,
  ConcurrencySpec,
  DesiredState,
  InstallationBudget,
} from '../contract/campaign.js';
import type { CandidateIntegrity, CandidateRef } from '../contract/candidate.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Failure } from '../contract/failure.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { BatchPhase, CampaignPlan } from '../contract/plan.js';
import type { Revision } from '../contract/revision.js';
import type { OwnerRef, StepStage } from '../contract/stage.js';
import type { TaskSummary } from '../contract/task.js';
import type { Outcome, TrialEnd } from '../contract/verdict.js';
import type { PolledCode } from '../contract/worker-limits.js';
import type { BuildAccounts } from './build-accounts.js';
import type { Leases } from './leases.js';
import type {
  AttemptRecord,
  CampaignRow,
  CampaignUsage,
  Changed,
  EventRow,
  GenerationRow,
  OperatorChange,
  RunKind,
  RunRow,
  StepRow,
  TrialRow,
  TrialTotals,
  VoteRecord,
  Wait,
} from './record-rows.js';

export type { BatchPhase, CampaignPlan, PlannedBatch } from '../contract/plan.js';
export type * from './build-accounts.js';
export type * from './record-rows.js';

/** A batch as the campaign workflow pages through them. */
export interface BatchKey {
  id: string;
  phase: BatchPhase;
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
export interface LeaseOwner {
  instance: string;
  host: string;
  pid: number;
  /** It counts as alive until then, if it does not renew its lease. */
  livesUntil: string;
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

/** The record: plan, claims, results, desired state. Totals are sums over rows. Every writing method takes part in the epoch guard where it names an epoch, and throws `operator.superseded` when stale. */
export interface Records extends Leases, BuildAccounts {
  // --- plan
  /**
   * All or nothing. Attaches when the id exists and asks the same question: what is no part of the question (concurrency, endpoints,
   * names of keys, budget, prices) is taken from the new plan, an event says so, and nothing that is finished is touched.
   * Fails when it asks another. What was charged keeps its price. A revision is linked to the campaign it changes, with an event in both.
   */
  createCampaign(plan: CampaignPlan, by?: { author?: string; revision?: Revision }): Promise<void>;

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
  /** Recorded as an event where it changes something. An ended campaign can only be set to `run`; one never opened is ended by `cancel`. */
  setDesiredState(input: { campaignId: string; state: DesiredState; author: string; reason: string }): Promise<void>;
  /**
   * Changes some of the operator's limits from now on, recorded as an event where one is another than before; what was
   * spent before counts. A campaign that its budget had stopped admits again, unless a soft limit is still reached; trials
   * that are ended as not run come back by a resume.
   */
  setBudget(input: OperatorChange<BudgetSpec> & { campaignId: string }): Promise<Changed<BudgetSpec>>;
  /** The operator's limit over all campaigns, and what counts in it so far; null where there never was one, and nobody counts. */
  installationBudget(): Promise<{ budget: InstallationBudget; spent: { microUsd: number; tokens: number } | null }>;
  /** What all campaigns spent so far, added up from the sends: slow where there are millions. */
  installationSpend(): Promise<{ microUsd: number; tokens: number }>;
  /** The same for the limit over all campaigns. A campaign it has stopped admits again, or, ended, goes on by a resume. */
  setInstallationBudget(input: OperatorChange<InstallationBudget>): Promise<Changed<InstallationBudget>>;
  /**
   * Plans the runs that a verb asks for and opens the campaign to them, in one transaction; whoever ran it before is
   * superseded. Then its workflow is started. `isDryRun` only tells. In plan order.
   * @throws UserError when the campaign's epoch is not the given one any more
   */
  planRuns(input: {
    campaignId: string;
    selection: RunSelection;
    isDryRun: boolean;
    /** As the caller saw it. */
    epoch: number;
    /** Where it will run: id of a Temporal namespace. */
    server: string;
    /** The workflow code it will run on; without it, the one it has. */
    code?: string;
    author: string;
    reason: string;
    /** More for the event. */
    details?: JsonObject;
  }): Promise<PlannedRun[]>;
  /**
   * Says where the campaign will run, before its workflow is started there without a plan: no other server can open it
   * from then on, and whoever runs it on another one is superseded.
   */
  placeCampaign(input: { campaignId: string; server: string; code?: string }): Promise<void>;
  /** What each campaign that is open and not paused may run at once. */
  openConcurrency(): Promise<ConcurrencySpec[]>;
  /** Raises the epoch of an open campaign: whoever runs it writes nothing more. Null: it is closed. */
  supersede(campaignId: string): Promise<number | null>;
  /** Workflow codes that workers of a server poll or have polled, that of the newest worker first. */
  polledCodes(server: string): Promise<PolledCode[]>;
  /** Whether a living worker polls for the workflow code the campaign runs on, on its server. */
  isCodePolled(campaignId: string): Promise<boolean>;
  /** Open campaigns of a server whose workflow code no living worker polls, oldest first. */
  strandedCampaigns(server: string): Promise<{ id: string; suite: string; code: string; epoch: number }[]>;
  /**
   * Supersedes whoever runs the campaign, with an event that names both codes, before its workflow is started anew on
   * this code. False: somebody else was faster (another epoch than the one that was seen), or it is closed.
   */
  takeOver(input: {
    campaignId: string;
    epoch: number;
    code: string;
    author: string;
    reason: string;
  }): Promise<boolean>;
  /** Open campaigns that run on that workflow code of a server, oldest first. */
  campaignsOnCode(server: string, code: string): Promise<{ id: string; epoch: number }[]>;
  /** Campaigns of a server that are to be cancelled and are open, oldest first. */
  cancelledCampaigns(server: string): Promise<string[]>;
  /**
   * Keeps as an event that workflows of a campaign cannot go on, and why; reason null: that they can again. False: that is
   * known of this epoch already, the campaign is in another one, or it is closed.
   */
  noteStuck(input: {
    campaignId: string;
    epoch: number;
    author: string;
    reason: string | null;
    /** More for the event. */
    details: JsonObject;
  }): Promise<boolean>;
  /** A live worker of another server from which the campaign, which is open, was run last; else null. */
  leaseOwner(input: { campaignId: string; server: string }): Promise<LeaseOwner | null>;
  /** What operators asked of the campaign (null: of the installation), oldest first. */
  events(campaignId: string | null): Promise<EventRow[]>;
  /**
   * Puts what an operator made into the records as a step of a generation, with the event that says so: whoever looks
   * for that step later finds this one. `isDryRun` only checks that it may.
   * @throws UserError while the campaign runs, and when the generation has its candidate
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
  /** One row, whatever the campaign's size. @throws RecordsProblem for an unknown one */
  campaignStatus(campaignId: string): Promise<CampaignStatus>;
  campaign(campaignId: string): Promise<CampaignRow & { spec: CampaignSpec; lock: CampaignLock }>;
  /** Its tasks, with the hashes they were planned with. */
  tasks(campaignId: string): Promise<{ id: string; sha256: string }[]>;
  /** What its running trials and generations wait for now, the longest wait first; empty when nothing is away. */
  waits(campaignId: string): Promise<Wait[]>;
  /** In plan order. Of a large campaign better page by page. */
  trials(campaignId: string): Promise<TrialRow[]>;
  /** The same as they stood at one moment, a thousand at a time: the next ones are read when `visit` is done with these. */
  trialPages(campaignId: string, visit: (page: readonly TrialRow[]) => void | Promise<void>): Promise<void>;
  /** Those that were run or graded again after they had been graded, in plan order. */
  rerunTrials(campaignId: string): Promise<TrialRow[]>;
  /** What all trials come to, added up by the store. */
  trialTotals(campaignId: string, metrics: readonly string[]): Promise<TrialTotals>;
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
