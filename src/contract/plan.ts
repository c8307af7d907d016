import type { CampaignLock, CampaignSpec } from './campaign.js';
import type { JsonObject } from './json.js';
import type { DatasetSelection } from './task.js';

/** Which window a batch runs in: a slow generation must not hold back what only needs grading. */
export type BatchPhase = 'generate' | 'grade';

/** One trial of a plan. Ids are `<campaign>/<task>/<system>/<repeat>`. */
export interface PlannedTrial {
  id: string;
  taskId: string;
  systemId: string;
  repeat: number;
  settings: JsonObject;
}

/** One batch of a plan: the trials of one shared candidate, or a chunk of at most 200 that make their own. */
export interface PlannedBatch {
  /** `<campaign>/<n>` */
  id: string;
  phase: BatchPhase;
  /** Set where the candidate is shared: `<campaign>/<system>/<scope>/<repeat>`. */
  generation: { id: string; systemId: string; scope: string; repeat: number; settings: JsonObject } | null;
  trials: PlannedTrial[];
}

/** A whole campaign, inserted in one transaction before anything is dispatched. */
export interface CampaignPlan {
  id: string;
  spec: CampaignSpec;
  lock: CampaignLock;
  dataset: DatasetSelection;
  batches: PlannedBatch[];
}

/** What some pieces of work came to, each. */
export interface WorkSample {
  pieces: number;
  mean: number;
  /** Standard deviation from piece to piece. */
  deviation: number;
}

/** What trials of one system took in one earlier campaign, each in the mean. */
export interface TrialTimes {
  campaign: string;
  trials: number;
  /** With all they waited for, and with what their places stood free before them. */
  seconds: number;
  /** Of its steps, and of those that hold a slot of the queue. */
  own: number;
  model: number;
  sandbox: number;
  /** Standard deviation of `own` from trial to trial. */
  deviation: number;
  /** How many trials of the campaign ran at once, one's own among them. */
  atOnce: number;
}
