import type { Json } from './json.js';

/** One part of a campaign's question in which two locks differ. */
export interface LockChange {
  /** Where: `systems.big.limits.usd`, `models.judge.temperature`, `dataset.limit`, `grader`. */
  part: string;
  /** null: not there. */
  before: Json;
  after: Json;
  /** Whose trials do not answer the new question: of all systems, of tasks that are others now, or of these systems. */
  invalidates: 'all' | 'tasks' | string[];
}

/** Trials of a revised campaign, by what the revision makes of them. */
export interface RevisedTrials {
  planned: number;
  /** What they say is not said of the new question. */
  invalidated: number;
  /** Their system, task or repeat is no part of the new campaign. */
  leftOut: number;
  /** The new campaign asks just the same; it asks it anew. */
  unchanged: number;
}

/** A new campaign's link to the one it changes. */
export interface Revision {
  /** Id of the campaign it revises. */
  of: string;
  reason: string;
  changes: LockChange[];
  trials: RevisedTrials;
}
