import type { Json } from './json.js';

/** The six named activities of every trial, in order. */
export type StageName = 'harvest' | 'generate' | 'localize' | 'vote' | 'execute' | 'score';

/** What a stage activity may be asked: a trial's stage, or `prepare`, done once for a shared candidate. */
export type StepStage = StageName | 'prepare';

/** Task queues of the worker roles. */
export type QueueName = 'workflows' | 'light' | 'model' | 'sandbox';

/** Who owns a step: a trial, or the generation of a shared candidate. `id` is its key in Postgres and the tail of its workflow id. */
export interface OwnerRef {
  kind: 'trial' | 'generation';
  id: string;
}

/**
 * Whose money a model call is: a campaign, or the build of one dataset version that asks a model. Limits, reservations and
 * totals belong to an account. Ids of builds are `<suite>@<version>`, which no campaign's id can be.
 */
export interface AccountRef {
  kind: 'campaign' | 'build';
  id: string;
}

/** Who asked, within an account: a trial, a generation, or the build of one project (`<account>/<project>`). */
export type CallOwner = OwnerRef | { kind: 'build'; id: string };

/** The input of a stage activity; all a history ever holds of it. */
export interface StageCall {
  owner: OwnerRef;
  /** The campaign's epoch; a stale one writes nothing. */
  epoch: number;
  /** The run of the trial (1, 2, …): raised by `retry` and `resume`, not by Temporal's own attempts. */
  n: number;
  /** Step within the stage: `match-2`, `adapt`, `run`; empty where the stage runs once. */
  step: string;
  /** Small JSON from earlier stages: ids, hashes, counts. Below 4 KiB. */
  input: Json;
}

/** What a stage activity returns into the history. Below 4 KiB of JSON. */
export interface StageReply {
  result: Json;
  /** True when the result came from the `steps` table and nothing was done again. */
  reused: boolean;
}
