import type { BuildPlan } from './dataset-build.js';
import type { GenerationPlan, TrialPlan } from './trial.js';
import type { QueueName, StageName } from './stage.js';
import type { LoosenedLimits } from './sandbox-limits.js';

/**
 * Version of what a suite and the engine are to each other: the types of `durabench/suite` and `durabench/workflow-kit`.
 * Raised when a suite written for the one before would not run.
 */
export const SUITE_CONTRACT = 1;

/** Where a stage runs, and how long one attempt may take. */
export interface StageRouting {
  queue: Exclude<QueueName, 'workflows'>;
  /** Overrides the default of `workflows/kit/options.ts` for this stage. */
  startToCloseSeconds?: number;
  /** Step-name prefix → other routing: `{ candidate: { queue: 'model', startToCloseSeconds: 3600 } }`. */
  steps?: Record<string, { queue: Exclude<QueueName, 'workflows'>; startToCloseSeconds?: number }>;
}

/** Pure data about a suite; sandbox-safe. */
export interface SuiteManifest {
  /** Folder name under `tasks/`. */
  id: string;
  title: string;
  /** Raised when tasks, stages or grading change meaning; part of the lock. */
  version: string;
  /** null = this suite never schedules the stage. */
  stages: Record<StageName, StageRouting | null>;
  /** Where `prepare` of a shared candidate runs; `light` when left out. */
  prepare?: StageRouting;
  /** Where the steps of a dataset build run; `sandbox` when left out. */
  datasetBuild?: StageRouting;
  /** Images its sandbox runs use, by recipe name; `{project}`-style templates are expanded by the suite. Empty = no Docker needed. */
  needsDocker: boolean;
  /** The only way to loosen the sandbox; none when left out. In `doctor --sandbox`, in reports and in the campaign's lock. */
  sandboxLimits?: LoosenedLimits;
  /** Present where its runs may have a Docker engine of their own (`SandboxRun.engine`), the wider profile of the sandbox. */
  nestedEngine?: NestedEngineUse;
  /** Present where passed trials are checked with tests that must fail. */
  negativeControls?: ControlSettings;
}

/** A suite's use of engines in containers. */
export interface NestedEngineUse {
  /** Recipe of the image with the engine. A campaign whose `images` name it starts only where such an engine runs. */
  image: string;
  /** What a campaign file says to go without, and what that costs, for messages: `judge: { execute: none } runs no workflow`. */
  without: string;
}

/** How much is checked by tests that must fail. */
export interface ControlSettings {
  /** So many of a candidate's passed trials, the first ones, all sit one; of a suspicious candidate all of them do. */
  first: number;
  /** Share of the passed trials after them, 0 to 1, drawn by trial id. */
  share: number;
}

/** What the workflow side knows of a suite; listed in `tasks/plans.ts`. */
export interface SuitePlans {
  manifest: SuiteManifest;
  trial: TrialPlan;
  /** Present where tasks share a candidate. */
  generation?: GenerationPlan;
  /** Present where the tasks are made from other sources. */
  datasetBuild?: BuildPlan;
  /** Present where a model may describe the tasks that were made. */
  datasetDescribing?: BuildPlan;
}
