import type { CampaignLock, CampaignSpec, CampaignStatus } from '../contract/campaign.js';
import type { CandidateIntegrity } from '../contract/candidate.js';
import type { OwnerRef } from '../contract/stage.js';
import type { CampaignPlan } from '../contract/plan.js';
import type { SuiteManifest } from '../contract/suite.js';
import type { Outcome } from '../contract/verdict.js';
import type {
  AttemptRecord,
  CallRow,
  CampaignRow,
  GenerationRow,
  RunRow,
  StepRow,
  TrialRow,
  VoteRecord,
  Wait,
} from './record-rows.js';
import type {
  CampaignUsage,
  LikeAnswers,
  BatchLeft,
  LikeTimes,
  LikeWork,
  PlannedTask,
  TaskOutcome,
  TrialStates,
  TrialTotals,
} from './record-sums.js';

/** Which trials of a campaign are meant; all that is left out lets everything through. */
export interface TrialChoice {
  /** Any of these; `open` where it has not ended. */
  outcomes?: readonly (Outcome | 'open')[];
  systems?: readonly string[];
  groups?: readonly string[];
  /** A reason or failure type, or what it begins with: `sandbox` is `sandbox.lost` too. */
  reason?: string;
  /** Part of the task's id. */
  task?: string;
}

/** What belongs to a campaign without looking at its trials. */
export interface CampaignOutline {
  id: string;
  name: string;
  suite: string;
  dataset: string;
  spec: CampaignSpec;
  /** Of its tasks, in alphabetical order. */
  groups: string[];
}

/** Campaigns as commands and reports read them. */
export interface CampaignReads {
  /** `latest`, an id or a unique prefix → the id; null when nothing or several match. */
  resolveCampaign(idOrPrefix: string): Promise<string | null>;
  /** The newest first. @param tag only those that have it */
  listCampaigns(limit: number, tag?: string): Promise<CampaignRow[]>;
  /** One row, whatever the campaign's size. @throws RecordsProblem for an unknown one */
  campaignStatus(campaignId: string): Promise<CampaignStatus>;
  campaign(campaignId: string): Promise<CampaignRow & { spec: CampaignSpec; lock: CampaignLock }>;
  /** The same with what its trials and model calls come to, added up by the store: it reads the calls once for all of it. */
  campaignTotals(
    campaignId: string,
    metrics: readonly string[],
  ): Promise<{
    campaign: CampaignRow & { spec: CampaignSpec; lock: CampaignLock };
    totals: TrialTotals;
    calls: CampaignUsage['calls'];
  }>;
  /** What was planned: the repeats of every task by every system, with the hash the task was planned with. */
  plannedTasks(campaignId: string): Promise<PlannedTask[]>;
  /** The hash a task was planned with; null for a task that is none of its own. */
  taskHash(campaignId: string, taskId: string): Promise<string | null>;
  /** What its running trials and generations wait for now, the longest wait first; empty when nothing is unavailable. */
  waits(campaignId: string): Promise<Wait[]>;
  /** Whole rows, in plan order. Of a large campaign better page by page. */
  trials(campaignId: string): Promise<TrialRow[]>;
  /** Quick whatever the campaign's size. @throws RecordsProblem for an unknown one */
  campaignOutline(campaignId: string): Promise<CampaignOutline>;
  /** Some of its trials in plan order, and how many there are of the kind. */
  trialList(
    campaignId: string,
    choice: TrialChoice,
    part: { offset: number; limit: number },
  ): Promise<{ trials: TrialRow[]; total: number }>;
  /** Of such trials the last one before a trial in plan order and the first one after it. */
  trialNeighbours(trialId: string, choice: TrialChoice): Promise<{ previous: string | null; next: string | null }>;
  /** All trials of one task, in plan order. */
  taskTrials(campaignId: string, taskId: string): Promise<TrialRow[]>;
  /** Which generation makes the candidate of a trial: null where it makes its own. Undefined: there is no such trial. */
  generationOfTrial(trialId: string): Promise<string | null | undefined>;
  /** Model calls of a trial or generation, in the order in which they were asked, and how many there are. */
  calls(owner: OwnerRef, part: { offset: number; limit: number }): Promise<{ calls: CallRow[]; total: number }>;
  /** Ids of those that begin so, in plan order. */
  trialIds(campaignId: string, prefix: string): Promise<string[]>;
  /** Which of these trials were graded, by the run that counts. */
  gradedTrials(trialIds: readonly string[]): Promise<string[]>;
  /** What a run of a graded trial cost so far, in the mean; no row for a system without graded trials. */
  meanRunCosts(campaignId: string): Promise<{ systemId: string; microUsd: number }[]>;
  /**
   * What work like that of each system came to in the campaigns of this record: of the same suite, generator, options and
   * judge, and a model of the same name and price.
   */
  likeWork(spec: Pick<CampaignSpec, 'suite' | 'judge' | 'models' | 'systems'>): Promise<LikeWork[]>;
  /** How much of a plan other campaigns have asked already: the same tasks and repeats of such systems, with the same models. */
  likeAnswers(plan: Pick<CampaignPlan, 'id' | 'spec' | 'lock' | 'dataset'>): Promise<LikeAnswers[]>;
  /** How long such trials took, campaign by campaign. @param stages where the suite's steps run */
  likeTimes(
    spec: Pick<CampaignSpec, 'suite' | 'judge' | 'models' | 'systems'>,
    stages: SuiteManifest['stages'],
  ): Promise<LikeTimes>;
  /** What its batches have left to do, in plan order: nothing where it does not run, and of what is only regraded. */
  workLeft(campaignId: string): Promise<BatchLeft[]>;
  /** Where they stand, whatever the campaign's size. */
  trialStates(campaignId: string): Promise<TrialStates>;
  /** The same rows as they stood at one moment, a thousand at a time: the next ones are read when `visit` is done with these. */
  trialPages(campaignId: string, visit: (page: readonly TrialRow[]) => void | Promise<void>): Promise<void>;
  /** Those that were run or graded again after they had been graded, in plan order. */
  rerunTrials(campaignId: string): Promise<TrialRow[]>;
  /** What became of every task, system by system, each in the order of task ids. @param metrics to be summed up */
  taskOutcomes(campaignId: string, metrics?: readonly string[]): Promise<TaskOutcome[]>;
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
  /** How long stages took, by system. */
  stageTimes(campaignId: string): Promise<CampaignUsage['stages']>;
  /** Every blob hash any row refers to, for garbage collection; `withoutEnded`: not workspaces of trials and generations that have ended. */
  referencedBlobs(workspaces?: 'withoutEnded'): Promise<string[]>;
}
