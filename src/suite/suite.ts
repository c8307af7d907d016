import type { ZodType } from 'zod';
import type { CampaignSpec, SystemSpec } from '../contract/campaign.js';
import type { CandidateRef } from '../contract/candidate.js';
import type { Explanations } from '../contract/problem.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { StageName } from '../contract/stage.js';
import type { SuiteManifest } from '../contract/suite.js';
import type { TaskSummary } from '../contract/task.js';
import type { ScriptedPlayer } from '../ports/scripted-player.js';
import type { Blobs } from '../ports/blobs.js';
import type { StepRow, TrialRow } from '../ports/records.js';
import type { SuiteCalibration } from './calibration.js';
import type { DatasetTools, SuiteDataset } from './dataset.js';
import type { SuiteFailures } from './failures.js';
import type { GenerationGraph, GeneratorTraits } from './generation.js';
import type { Finding, ReportInput, ReportTable, ResultColumn, SuiteReport } from './report.js';
import type { StageFunction } from './stage.js';

/** How the file of an option is read. */
interface OptionFile {
  read(text: string): { value: Json } | { problems: string[] };
  /** Reads one that is too large to become part of a campaign: what stands for it. Absent: such files are refused. */
  readLarge?(path: string): Promise<{ value: Json } | { problems: string[] }>;
  /** The rest of what is said of each problem. */
  rules: Pick<Problem, 'expected' | 'fix'>;
}

/** A task as one trial has it. */
export interface AskedTask {
  id: string;
  /** Of its text, as it was planned. */
  sha256: string;
  system: SystemSpec;
  steps: readonly StepRow[];
}

/** A task in words. */
export interface TaskText {
  asked: string;
  /** Files, rules or assertions that decide; null where the suite has no text of them. */
  test: { name: string; text: string } | null;
}

/** What a candidate made elsewhere needs and has not where it is graded. */
export interface MissingForCandidate extends Problem {
  /** What whoever grades it all the same names: a package, a program. */
  name: string;
}

/** What a first campaign is made of. */
export interface StarterChoice {
  /** Key of the model that is evaluated; null for a campaign that asks none. */
  model: string | null;
  /** Tasks of each project. */
  tasks: number;
  /** Of `dataset.projects`; empty: the suite chooses. */
  projects: readonly string[];
}

/** The parts of a campaign file that a suite knows best. */
export interface StarterParts {
  dataset: object;
  judge?: object;
  systems: { id: string; generator: string; [setting: string]: unknown }[];
}

/** What the worker and the CLI know of a suite; listed in `tasks/suites.ts`. Adding a suite = a folder with one of these. */
export interface Suite {
  manifest: SuiteManifest;
  /** Its files (python/, prompts/, dataset/): absolute, or from the root of its package. */
  folder: string;
  /** Schemas for the suite's own parts of a campaign file; unknown keys are errors. */
  schemas: { dataset: ZodType; judge: ZodType; vote: ZodType; options: ZodType };
  /** Generator names with what each needs. */
  generators: Record<string, GeneratorTraits>;
  /** The one that hands out the reference itself, where there is one: others are measured against it. */
  referenceGenerator?: string;
  /** Options of a system that may name a file, and what reads it: the value takes the place of the path. */
  optionFiles?: Record<string, OptionFile>;
  /** A first campaign for `durabench init`, worth running as it is; where left out, the reference and whatever asks a model. */
  starter?(chosen: StarterChoice): StarterParts;
  /** What a schema cannot say: combinations, voters allowed per generator. Each problem with its `path` in the file. */
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
  /**
   * What a packed candidate cannot do without that is neither in it nor in the images of these projects: of a release that works
   * elsewhere that is no fault. `durabench grade` refuses it before anything runs, unless it is told to count it. Campaign files
   * are never asked: their systems are told what there is. Absent: nothing can be missing.
   */
  missingForCandidate?(
    candidate: CandidateRef,
    projects: readonly string[],
    tools: Pick<DatasetTools, 'blobs' | 'sandbox' | 'suiteFolder' | 'signal'>,
  ): Promise<MissingForCandidate[]>;
  /**
   * What an answer as text becomes in the folder of its task, for `packCandidate` to pack: of models whose answers were
   * collected elsewhere (`durabench grade predictions.jsonl`). Present where every task has an answer of its own.
   */
  answerFiles?(answer: string): { files: ReadonlyMap<string, Uint8Array> } | { problem: Problem };
  /** Its rates beside the score, in the order of the table. */
  resultColumns: readonly ResultColumn[];
  /** Why a graded trial failed, in the words of the evidence its steps left: too long or too hostile for a history. */
  explain?(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null>;
  /** What its grader found in one trial, part by part, as tables for `show`; none where the evidence is gone. */
  trialTables?(steps: readonly StepRow[], blobs: Blobs): Promise<ReportTable[]>;
  /** What a task asks of this system and how the answer is tested, for people; null where its text is not in the blob store. */
  taskText?(task: AskedTask, blobs: Blobs): Promise<TaskText | null>;
  /** Classes of failed trials, and what to try where one is frequent. */
  failures?: SuiteFailures;
  /** Its reasons, failure classes and flags, for `durabench explain`. */
  explanations?: Explanations;
  /** What people should know of the candidates of these trials beside their scores, a sentence each; tables of `report` may say it too. */
  candidateNotes?(trials: readonly TrialRow[]): string[];
  /** What a person may say of a graded trial (`durabench review`): the suite's own statuses, and the one its grader gave. Absent: nothing. */
  reviews?: { statuses: readonly string[]; statusOf: (trial: Pick<TrialRow, 'metrics'>) => string | null };
  /** The suite's own metrics and tables; absent where the rates say everything. */
  report?(input: ReportInput): Promise<SuiteReport>;
  /** Where what was found is not what was published, for `durabench export --format findings`; absent where nothing could be. */
  findings?(input: ReportInput): Promise<Finding[]>;
  /**
   * Plays the models of the suite for the scripted model server, given the folder of a library where the rules name one;
   * absent where rules say all.
   */
  scriptedPlayer?(library: string | undefined): Promise<ScriptedPlayer>;
  /** Present where the graders can be measured on labelled candidates. */
  calibration?: SuiteCalibration;
}
