import type { Json, JsonObject } from './json.js';
import type { StageName } from './stage.js';
import type { CandidateRef } from './candidate.js';
import type { Verdict } from './verdict.js';

/** What a trial's plan knows at the start. */
export interface TrialSpec {
  trialId: string;
  taskId: string;
  systemId: string;
  repeat: number;
  /** From the suite's `trialSettings`: what the plan branches on (voter, matches to try). Below 1 KiB. */
  settings: JsonObject;
}

/** One call of a stage from a plan. */
export interface StepCall {
  /** Step name where a stage runs several times; part of the step key. */
  step?: string;
  input?: Json;
  /** Shown in the Temporal UI: "vote match 2". */
  summary?: string;
}

/**
 * The stage functions a plan is handed. Each is one activity: durable, retried and timed on its own. `Result` is the
 * small JSON the stage returns. What cannot be retried any more is thrown as `DomainFailure`: a plan that means to
 * grade a failure catches it by type and lets everything else pass.
 */
export type TrialStages = Record<StageName, <Result>(call?: StepCall) => Promise<Result>> & {
  /** Says why a stage is not scheduled; goes into the trial's record. */
  skip(stage: StageName, reason: string): void;
  /**
   * Asked between two turns of a long trial or generation: returns where it may go on. Paused, cancelled or out of budget it
   * ends here with its record open, and goes on in the same run when it may, where every step it has done is found. What it
   * throws is not the plan's to catch.
   */
  pass(): Promise<void>;
};

/** How one trial runs: plain async code, deterministic, reading like the benchmark's specification. */
export type TrialPlan = (trial: TrialSpec, stages: TrialStages) => Promise<Verdict>;

/** What a generation's plan knows at the start. */
export interface GenerationSpec {
  generationId: string;
  systemId: string;
  scope: string;
  repeat: number;
  settings: JsonObject;
}

/** What a generation's plan is handed. */
export type GenerationStages = Pick<TrialStages, 'harvest' | 'generate' | 'execute' | 'pass'> & {
  /**
   * Hands the making over to a workflow of its own, by type name (`workflows/index.ts`): for generators that take hours
   * and have a history to show. It runs as a child on behalf of the same generation, and makes the candidate.
   */
  inWorkflow(type: string): Promise<MadeCandidate>;
};

/** A candidate with what its making is to be judged by. */
export type MadeCandidate = CandidateRef & {
  /** In numbers; null = does not apply. */
  figures?: Record<string, number | null>;
  /** Blob of what was planned, for suites that measure plans. */
  plan?: string;
};

/** How a shared candidate is made; short generators are one `generate` step. */
export type GenerationPlan = (generation: GenerationSpec, stages: GenerationStages) => Promise<MadeCandidate>;
