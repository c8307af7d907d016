import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { CampaignStatus } from '../src/contract/campaign.js';
import type { ProjectProgress } from '../src/contract/dataset-build.js';
import type { Failure } from '../src/contract/failure.js';
import type { Outcome } from '../src/contract/verdict.js';

/** Something about the desired state changed: ask Postgres again. Carries nothing, so losing one costs minutes, not meaning. */
export const wakeUp = defineSignal('wakeUp');

/** Where a dataset build stands, a row a project. */
export const buildProgress = defineQuery<ProjectProgress[]>('buildProgress');

/** Why a claim said stop. */
export type StopReason = 'operator.cancelled' | 'operator.superseded' | 'budget.exhausted';

/** Input of a campaign; everything else is in Postgres. */
export interface CampaignInput {
  campaignId: string;
}

/** Result of a campaign. `null`: superseded, so this run had nothing to say about the campaign's end. */
export interface CampaignResult {
  status: CampaignStatus | null;
}

/** Input of a batch. */
export interface BatchInput {
  batchId: string;
  epoch: number;
}

/** Result of a batch. */
export interface BatchResult {
  ended: 'done' | 'skipped' | 'stopped';
  /** Trials started by this run of the batch. */
  started: number;
}

/** Input of the generation of a shared candidate. */
export interface GenerationInput {
  generationId: string;
  epoch: number;
}

/** Result of a generation; `skipped`: it was made before, `paused`: the campaign is paused. */
export type GenerationResult =
  | { ended: 'done' | 'skipped' | 'paused' }
  | { ended: 'stopped'; reason: StopReason }
  | { ended: 'failed'; failure: Failure };

/** Input of a trial. */
export interface TrialInput {
  trialId: string;
  epoch: number;
}

/** Result of a trial, as the Temporal UI shows it. A test that failed is a completed workflow. */
export type TrialResult =
  | { ended: 'done'; outcome: Outcome; reason: string | null }
  | { ended: 'skipped' | 'paused' }
  | { ended: 'stopped'; reason: StopReason };
