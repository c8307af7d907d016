import type { BudgetSpec, DesiredState, InstallationBudget } from '../contract/campaign.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { StepStage } from '../contract/stage.js';
import type { TrialReview } from '../contract/verdict.js';
import type { Changed, EventRow, OperatorChange, RunKind } from './record-rows.js';

/** Which runs a command asks for. */
export type RunSelection =
  /** What is planned, was interrupted, or was not run. */
  | { action: 'resume' }
  /** Trials by their last run's outcome, or by id. `fresh`: their model calls are made anew. */
  | { action: 'retry'; which: 'errored' | 'not_run' | 'failed' | readonly string[]; fresh: boolean }
  /** The score of everything graded, and the vote. */
  | { action: 'regrade'; vote: boolean };

/** One run that a command plans. */
export interface PlannedRun {
  trialId: string;
  systemId: string;
  n: number;
  kind: RunKind;
  /** What became of the run before: `interrupted`, `errored: sandbox.lost`, … */
  why: string;
}

/** What came of a removal: `open` and `calls-under-way` changed nothing. */
export type CampaignRemoval = { state: 'removed' | 'open' } | { state: 'calls-under-way'; calls: number };

/** What operators ask of campaigns, each kept as an event where it changes something. */
export interface OperatorRecords {
  /** Removes an ended campaign with all its rows, recorded as an event of the installation. What it cost stays in the counters over all campaigns. */
  removeCampaign(input: { campaignId: string; author: string; reason: string }): Promise<CampaignRemoval>;
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
   * Plans the runs that a command asks for and opens the campaign to them, in one transaction; whoever ran it before is
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
  /** What operators asked of the campaign (null: of the installation), oldest first. */
  events(campaignId: string | null): Promise<EventRow[]>;
  /**
   * Keeps what a person says of a trial, as an event; nothing is overwritten. `reviewed-before`: by the same author, and nothing is
   * recorded. `isDryRun` only tells.
   */
  recordReview(input: {
    campaignId: string;
    review: TrialReview;
    author: string;
    reason: string;
    isDryRun: boolean;
  }): Promise<'recorded' | 'reviewed-before'>;
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
}
