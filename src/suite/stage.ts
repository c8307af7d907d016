import type { Readable } from 'node:stream';
import type { CampaignSpec, SystemSpec } from '../contract/campaign.js';
import type { CandidateRef } from '../contract/candidate.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { OwnerRef } from '../contract/stage.js';
import type { TaskSummary } from '../contract/task.js';
import type { BlobLabel, Blobs } from '../ports/blobs.js';
import type { Embedder } from '../ports/embedder.js';
import type { Memory } from '../ports/memory.js';
import type { AskedAnswer, Question } from '../ports/model.js';
import type { VoteRecord } from '../ports/records.js';
import type { Sandbox } from '../ports/sandbox.js';

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
  ask(question: Question): Promise<AskedAnswer>;
  /** How many answers to one question of the judge may be asked for, those of earlier runs included: one a run. Absent: 1. */
  samples?: number;
  /** Stores evidence for this step. */
  attach(bytes: Uint8Array | string, label: BlobLabel): Promise<EvidenceRef>;
  /** The same for what is too large for memory. */
  attachStream(bytes: Readable, label: BlobLabel): Promise<EvidenceRef>;
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
