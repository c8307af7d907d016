import type { ZodType } from 'zod';
import type { CampaignSpec, SystemLimits, SystemSpec } from '../contract/campaign.js';
import type { CandidateRef } from '../contract/candidate.js';
import type { BuildCall } from '../contract/dataset-build.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { OwnerRef, StageName } from '../contract/stage.js';
import type { SuiteManifest } from '../contract/suite.js';
import type { DatasetSelection, TaskSummary } from '../contract/task.js';
import type { BlobLabel, Blobs } from './blobs.js';
import type { Embedder } from './embedder.js';
import type { Memory } from './memory.js';
import type { ModelAnswer, Question } from './model.js';
import type { PackageIndex } from './package-index.js';
import type { BatchLane, GenerationRow, StepRow, TrialRow, TrialTally, VoteRecord } from './records.js';
import type { Sandbox } from './sandbox.js';

/** What a stage function is given. Everything it may touch is in here; it reads no clock, environment or global. */
export interface StageContext {
  campaign: { id: string; spec: CampaignSpec };
  owner: OwnerRef;
  system: SystemSpec;
  repeat: number;
  /** null in generations. Its text: `blobs.get(task.sha256)`. */
  task: TaskSummary | null;
  scope: string | null;
  /** What `trialSettings` or `generationSettings` returned at planning. */
  settings: JsonObject;
  /** The shared candidate of this trial; null where trials make their own, and in generations. */
  candidate: CandidateRef | null;
  /** What `prepare` returned for the shared candidate. */
  prepared: Json | null;
  step: string;
  input: Json;
  /** Absolute path of the suite's folder, for its python/, prompts/ and shims/ files. */
  suiteFolder: string;
  blobs: Blobs;
  sandbox: Sandbox;
  embedder: Embedder;
  /** What this worker keeps between stages, of whatever campaign. */
  memory: Memory;
  /**
   * Results of steps of this owner and stage that ended before, by step name: what a unit finds of the units before it.
   * Where a step was done for several inputs, the last one. Steps that are not done are left out.
   */
  earlier(steps: readonly string[]): Promise<Record<string, Json>>;
  /**
   * 64 hex digits that follow from the campaign's secret, the task and the purpose, and that nobody can know who does not
   * know the secret: what a grader draws by, the same in every attempt, repeat and resume. To be left in no result and no
   * evidence.
   */
  drawingKey(purpose: string): string;
  /** Asks a model through the ledger: reserved, sent, settled, answered from the record on a retry. */
  ask(question: Question): Promise<ModelAnswer>;
  /** How many answers to one question of the judge may be asked for, those of earlier runs included: one a run. Absent: 1. */
  samples?: number;
  /** Stores evidence for this step. */
  attach(bytes: Uint8Array | string, label: BlobLabel): Promise<EvidenceRef>;
  /** Aborted on cancellation and worker shutdown. */
  signal: AbortSignal;
  /** Tells Temporal it is alive; call at least every few seconds in work that takes longer than 10 s. */
  heartbeat(): void;
}

/** What a stage leaves. `result` is small JSON (< 4 KiB) that goes into the history; bytes go through `attach`. */
export interface StageResult {
  result: Json;
  votes?: VoteRecord[];
}

/** One stage of a suite: a plain async function over ports. Throws `DomainFailure` for everything that is not a result. */
export type StageFunction = (context: StageContext) => Promise<StageResult>;

/** What dataset work is given. */
export interface DatasetTools {
  blobs: Blobs;
  sandbox: Sandbox;
  /** Where pinned releases come from. */
  packages: PackageIndex;
  suiteFolder: string;
  /** Folder for downloads, kept between runs. */
  cacheFolder: string;
  onProgress(line: string): void;
  signal: AbortSignal;
  /**
   * The model of a build that asks one, through the ledger: the same question about the same `place` (a task) is paid once,
   * and answered from the record afterwards. Absent everywhere else.
   */
  asking?: { model: string; ask(place: string, question: Question): Promise<ModelAnswer>; samples?: number };
}

/**
 * One step of a dataset build: a plain async function over the tools, whose result is small JSON (< 4 KiB). What it finds
 * it keeps in the blob store under what that was made of: done again, it costs next to nothing.
 */
export type BuildStep = (call: Pick<BuildCall, 'project' | 'input'>, tools: DatasetTools) => Promise<Json>;

/** What the worker and the CLI know of a suite's build; its story is the plan beside the manifest (`SuitePlans.datasetBuild`). */
export interface DatasetBuild {
  /** Of the dataset, raised by hand when its recipe changes meaning; part of the workflow's id. */
  version: number;
  /** Those it can build, also before they have a lock. */
  projects: readonly string[];
  /** Sandbox images the steps need, by recipe name. */
  images(projects: readonly string[]): string[];
  /** By the names the plans call them. */
  steps: Readonly<Record<string, BuildStep>>;
  /** Present where a model may describe the tasks anew (`SuitePlans.datasetDescribing`), which makes another version. */
  describing?: {
    /** Id of the version whose descriptions this model writes. */
    version(model: string): string;
    /** The generator that the campaign which holds the books names: one that makes nothing. */
    generator: string;
  };
}

/** How a suite's tasks come to be. */
export interface SuiteDataset {
  /** Fetches or extracts the locked tasks into the blob store and checks every hash; cheap when done before. */
  fetch(
    options: { projects: string[]; verify: boolean; version?: string | undefined },
    tools: DatasetTools,
  ): Promise<{ tasks: number; digest: string }>;
  /** Maintainer's build, which makes the tasks and the lock. Absent where the tasks are authored in the repository. */
  build?: DatasetBuild;
  /** The tasks a campaign selects, from the lock alone (fetching is not needed to plan). */
  select(selection: JsonObject, seed: number, suiteFolder: string): Promise<DatasetSelection>;
  /** Project (or part) names a user may ask for; those with a lock. */
  projects: readonly string[];
}

/** The suite's own rates of some trials. Null when nothing is graded. */
export interface SuiteRates {
  vote_rate: number | null;
  localized_rate: number | null;
}

/** A cell of a report's table; numbers are formatted by the kind of their column, null is a dash. */
export type ReportCell = string | number | null | { value: number; interval: { low: number; high: number } | null };

/** A table of a report. Rates are 0..1; `points` are differences of rates. */
export interface ReportTable {
  title: string;
  columns: { title: string; kind: 'text' | 'count' | 'rate' | 'points' | 'usd' | 'seconds' }[];
  rows: ReportCell[][];
  /** Sentences below the table. */
  notes: string[];
}

/** What rates are made of: how many trials stand alike. */
export type RatedTrials = Pick<TrialTally, 'outcome' | 'metrics' | 'trials'>;

/** What a suite's own report is made from. */
export interface ReportInput {
  spec: CampaignSpec;
  trials: readonly TrialRow[];
  suiteFolder: string;
}

/** What a suite adds to the report of a campaign: figures for `report.json`, tables for people. */
export interface SuiteReport {
  metrics: Json;
  tables: ReportTable[];
}

/** A campaign on candidates whose truth is known, as its records hold it. */
export interface CalibrationInput {
  spec: CampaignSpec;
  trials: readonly { trial: TrialRow; steps: readonly StepRow[] }[];
  generations: readonly { generation: GenerationRow; steps: readonly StepRow[] }[];
  blobs: Blobs;
}

/** What measuring without execution is given. */
export type RehearsalTools = DatasetTools & { embedder: Embedder; memory: Memory };

/** How a suite's graders are measured (`durabench calibrate`). */
export interface SuiteCalibration {
  /** Projects with known-truth candidates. */
  projects: readonly string[];
  /** The kinds that are made where none is named, those that only execution judges or not; and whether another word is one too. */
  kinds(projects: readonly string[], options: { executed: boolean }): readonly string[];
  isKind(word: string): boolean;
  /** What may be said, for messages. */
  kindRule: string;
  /** Voters without a model: name → vote settings of a system. */
  voters: Readonly<Record<string, JsonObject>>;
  /** Vote settings of a voter that asks this key of `models`. */
  modelVoter(model: string): JsonObject;
  /** A system of the campaign file that makes candidates of the kind. */
  system(kind: string, seed: number): { generator: string } & JsonObject;
  /** How often each stage was right. */
  report(input: CalibrationInput): Promise<SuiteReport>;
  /** The same of such a campaign without running it: every stage before execution, in this process, with voters that are rules. */
  withoutExecution(spec: CampaignSpec, tools: RehearsalTools): Promise<SuiteReport>;
}

/** A plan as far as a generation has come with it. */
export interface LastGraph {
  /** As a file. */
  text: string;
  /** The last stage of planning it holds (`GenerationGraph.stages`); null before the first is finished. */
  stage: string | null;
  /** Step that left it. */
  step: string;
}

/** A graph an operator edited, ready to be recorded: the file, and the step that stands for it. */
export interface EditedGraph {
  text: string;
  stage: string | null;
  step: string;
  /** Result of the step, given the blob of the text. */
  result(sha256: string): JsonObject;
  /** What differs from the one before, a sentence each. */
  changes: string[];
}

/** What the rest of a generation is expected to cost: at least, and with the usual trouble. */
export interface SpendForecast {
  /** What it counts: `41 units`. */
  of: string;
  calls: [least: number, likely: number];
  tokens: [least: number, likely: number];
  microUsd: [least: number, likely: number];
}

/** How far a whole plan has been carried out: how many of its parts ended, and how. */
export interface PlanProgress {
  /** What it counts: `41 units`. */
  of: string;
  done: number;
  failed: number;
  /** Not begun, because what they need failed. */
  blocked: number;
}

/** The plan a generator makes on its way, for people to look at and to edit (`durabench graph`, `show --graph`). */
export interface GenerationGraph {
  /** How far a graph can be planned, in order. */
  stages: readonly string[];
  /** The one that the steps of a generation, oldest first, have come to; null before there is any. */
  last(steps: readonly StepRow[], blobs: Blobs): Promise<LastGraph | null>;
  /**
   * Checks an edited one against every rule of the stage before, or of the stage that is asked for: planning then goes
   * on behind that one.
   */
  edit(text: string, from: { before: LastGraph | null; stage?: string }): EditedGraph | { problems: string[] };
  view(text: string, as: 'mermaid' | 'svg'): string;
  /** Step whose result tells what the rest will cost, and how to read it. */
  forecast: { step: string; read(result: Json): SpendForecast | null };
  /** How far the plan has come that this result of the step of the forecast is about. */
  progress(
    result: Json,
    from: { blobs: Blobs; find: (steps: readonly string[]) => Promise<Record<string, Json>> },
  ): Promise<PlanProgress>;
}

/** How the file of an option is read. */
export interface OptionFile {
  read(text: string): { value: Json } | { problems: string[] };
  /** The rest of what is said of each problem. */
  rules: Pick<Problem, 'expected' | 'fix'>;
}

/** What the engine and the check of campaign files have to know of a generator. */
export interface GeneratorTraits {
  needsModel: boolean;
  needsPath: boolean;
  /** What it asks models for: the keys that `purposes` of its systems may have. Not checked where left out. */
  purposes?: readonly string[];
  lane: BatchLane;
  /** One line for `durabench suites` and error messages. */
  description: string;
  /** What making one candidate may cost where a system does not say. */
  limits?: SystemLimits;
}

/** What the worker and the CLI know of a suite; listed in `tasks/suites.ts`. Adding a suite = a folder with one of these. */
export interface Suite {
  manifest: SuiteManifest;
  /** Schemas for the suite's own parts of a campaign file; unknown keys are errors. */
  schemas: { dataset: ZodType; judge: ZodType; vote: ZodType; options: ZodType };
  /** Generator names with what each needs. */
  generators: Record<string, GeneratorTraits>;
  /** The one that hands out the reference itself, where there is one: others are measured against it. */
  referenceGenerator?: string;
  /** Options of a system that may name a file, and what reads it: the value takes the place of the path. */
  optionFiles?: Record<string, OptionFile>;
  /** What a schema cannot say: combinations, voters allowed per generator. */
  campaignProblems(spec: CampaignSpec): Problem[];
  /** What is allowed and makes results worth less, a sentence each. */
  campaignWarnings?(spec: CampaignSpec): string[];
  /** Sandbox images a campaign needs, by recipe name. */
  images(spec: CampaignSpec): string[];
  dataset: SuiteDataset;
  /** The graph that generations of a system make; absent or undefined where they make none. */
  generationGraph?(system: SystemSpec): GenerationGraph | undefined;
  /** Small JSON for the plan of a shared candidate to branch on; nothing where left out. */
  generationSettings?(spec: CampaignSpec, system: SystemSpec, scope: string): JsonObject;
  /** Small JSON for the plan to branch on. */
  trialSettings(spec: CampaignSpec, system: SystemSpec, task: TaskSummary): JsonObject;
  /** `generate` serves both a trial's stage and the generation of a shared candidate (then `context.owner.kind` is `generation`). */
  stages: Partial<Record<StageName, StageFunction>>;
  /** Done once for a shared candidate: parse, index, embed. Its result may hold `flags`, a list of `CandidateFlag`: reports show them. */
  prepare?: StageFunction;
  /** Packs a user's folder or archive as a candidate (normalised tar), or says everything that is wrong with it. Present where a generator has `needsPath`. */
  packCandidate?(path: string): Promise<{ tar: Buffer; files: number } | { problems: Problem[] }>;
  rates(trials: readonly RatedTrials[]): SuiteRates;
  /** Why a graded trial failed, in the words of the evidence its steps left: too long or too hostile for a history. */
  explain?(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null>;
  /** What people should know of the candidates of these trials beside their scores, a sentence each; tables of `report` may say it too. */
  candidateNotes?(trials: readonly TrialRow[]): string[];
  /** The suite's own metrics and tables; absent where the rates say everything. */
  report?(input: ReportInput): Promise<SuiteReport>;
  /** Present where the graders can be measured on candidates whose truth is known. */
  calibration?: SuiteCalibration;
}
