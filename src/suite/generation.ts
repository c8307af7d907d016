import type { SystemLimits } from '../contract/campaign.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Blobs } from '../ports/blobs.js';
import type { BatchPhase, StepRow } from '../ports/records.js';

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

/** What the rest of a generation is expected to cost: at least, and with the usual retries. */
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

/** What the engine and the check of campaign files have to know of a generator. */
export interface GeneratorTraits {
  needsModel: boolean;
  needsPath: boolean;
  /** What it asks models for: the keys that `purposes` of its systems may have. Not checked where left out. */
  purposes?: readonly string[];
  phase: BatchPhase;
  /** One line for `durabench suites` and error messages. */
  description: string;
  /** What making one candidate may cost where a system does not say. */
  limits?: SystemLimits;
}
