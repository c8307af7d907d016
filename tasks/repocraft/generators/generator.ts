import type { SystemLimits, SystemSpec } from '../../../src/contract/campaign.js';
import type { JsonObject } from '../../../src/contract/json.js';
import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { GenerationGraph, GeneratorTraits } from '../../../src/suite/generation.js';
import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import type { AgentLimits } from '../../../src/agents/loop/turns.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';

/** What a generator made: a tree, or a normalised tar, at hand or stored already. */
export interface MadeCandidate {
  content: Tree | { tar: Buffer; files: number } | { sha256: string; sizeBytes: number; files: number };
  /** What a reader should know, above all why a candidate is empty; null when there is nothing to say. */
  note: string | null;
}

/** What one candidate of a generator that asks again and again may cost: the paper's stayed below; one that runs away ends here. */
export const PLANNING_LIMITS: SystemLimits = { usd: 50, tokens: 5_000_000, total: { usd: null, tokens: null } };

/** One way to make a candidate, chosen by `systems[].generator`. */
export type Generator = CandidateTraits & (ShortGenerator | LongGenerator | TurnGenerator);

interface CandidateTraits extends GeneratorTraits {
  /** `reference` only where the reference is handed out. */
  provenance: CandidateRef['provenance'];
  /** Further settings of a system it reads (`systems[].options`); none where left out. */
  options?: readonly string[];
}

/** Makes its candidate in one step. */
interface ShortGenerator {
  /** Its step has a routing of its own in the manifest; `candidate` when left out. */
  stepName?: string;
  /**
   * Makes the candidate of (system, project, repeat). A model that answers nonsense makes an empty candidate, which is
   * graded and fails; `DomainFailure` is for what is not the system's doing.
   */
  make(context: StageContext, project: string): Promise<MadeCandidate>;
}

/** Makes its candidate in many steps, told by a workflow of its own (docs/decisions/0004-generators-with-workflows.md). */
interface LongGenerator {
  /** Type name in `workflows/index.ts`. */
  workflow: string;
  /** What the workflow branches on; small JSON. */
  settings(system: SystemSpec): JsonObject;
  /** The graph it makes on its way, where it makes one. */
  graph?: GenerationGraph;
  /** Every step of it; its last one gives the candidate. */
  step: StageFunction;
}

/** Makes its candidate in the turns of an agent: steps `think/N`, `act/N`, and `collect`, which gives the candidate. */
interface TurnGenerator {
  /** What its work is held to. */
  agent(system: SystemSpec): AgentLimits;
  step: StageFunction;
}
