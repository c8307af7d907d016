import type { CampaignSpec } from '../contract/campaign.js';
import type { JsonObject } from '../contract/json.js';
import type { Blobs } from '../ports/blobs.js';
import type { Embedder } from '../ports/embedder.js';
import type { Memory } from '../ports/memory.js';
import type { GenerationRow, StepRow, TrialRow } from '../ports/records.js';
import type { DatasetTools } from './dataset.js';
import type { SuiteReport } from './report.js';

/** A campaign on labelled candidates, as its records hold it. */
export interface CalibrationInput {
  spec: CampaignSpec;
  trials: readonly { trial: TrialRow; steps: readonly StepRow[] }[];
  generations: readonly { generation: GenerationRow; steps: readonly StepRow[] }[];
  blobs: Blobs;
}

/** What measuring without execution is given. */
export type OfflineTools = DatasetTools & { embedder: Embedder; memory: Memory };

/** How a suite's graders are measured (`durabench calibrate`). */
export interface SuiteCalibration {
  /** Projects with labelled candidates. */
  projects: readonly string[];
  /** The kinds that are made where none is named, those that only execution judges or not; and whether another word is one too. */
  kinds(projects: readonly string[], options: { executed: boolean }): readonly string[];
  isKind(word: string): boolean;
  /** What may be said, for messages. */
  kindRule: string;
  /** Absent where nothing is voted on. */
  voting?: {
    /** Voters without a model: name → vote settings of a system. */
    voters: Readonly<Record<string, JsonObject>>;
    /** Vote settings of a voter that asks this key of `models`. */
    modelVoter(model: string): JsonObject;
  };
  /** `judge` of a campaign in which this key of `models` says what it thinks of each candidate as well. Absent: no model is asked, or it votes. */
  withModel?(model: string): JsonObject;
  /** A system of the campaign file that makes candidates of the kind. */
  system(kind: string, seed: number): { generator: string } & JsonObject;
  /** How often each stage was right. */
  report(input: CalibrationInput): Promise<SuiteReport>;
  /** The same of such a campaign without running it: every stage before execution, in this process, with voters that are rules. Absent: only execution tells. */
  withoutExecution?(spec: CampaignSpec, tools: OfflineTools): Promise<SuiteReport>;
}
