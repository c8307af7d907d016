/** What the steps of a ZeroRepo generation hand to one another: ids, hashes and counts. Graphs and code are blobs. */

import type { GraphStage } from './planning-graph.js';

/** Settings of the generator that its workflow branches on. */
export type ZeroRepoSettings = {
  /** Most iterations that grow the feature tree. */
  iterations: number;
  /** Most rounds of sorting features into modules. */
  rounds: number;
  /** How many of either in vain end them early. */
  patience: number;
  /** Units at once in a module. */
  window: number;
  /** Repairs of a unit. */
  repairs: number;
  /** Events that a history of a module may have; 8,000 where nothing is said, as every campaign has it. */
  mostEvents?: number;
};

/** What units are expected to cost, from the size of their plan: without a repair, and with one for each. */
export type Forecast = {
  units: number;
  calls: [least: number, likely: number];
  tokens: [least: number, likely: number];
  microUsd: [least: number, likely: number];
};

/** A planning step: the graph it leaves. */
export type Planned = {
  /** Blob of the graph. */
  graph: string;
  /** Features so far. */
  features: number;
};

/** `plan/start`: where planning begins; further than nothing where an operator put a graph in. */
export type Started = Planned & { stage: GraphStage | null };

/** `plan/propose-…`; `nearest` and `elsewhere`: leaves of the feature tree it was shown by nearness, and by chance. */
export type Proposed = Planned & { accepted: number; nearest?: number; elsewhere?: number };

/** `plan/refactor-…`; `open`: features without a module. */
export type Sorted = Planned & { isDone: boolean; modules: number; open: number };

/** `plan/modules`: how modules depend on one another. */
export type ModulePlan = {
  /** For each module the places of those upstream of it, in the order of the graph. */
  upstream: number[][];
};

/** `design/…`: one file designed. */
export type Designed = { graph: string; left: number };

/** `check/skeleton`: the whole design, and what it is expected to cost to implement. */
export type Checked = Planned & { forecast: Forecast };

/** A unit as the schedule lists it: [id, fingerprint, places of items it comes after]. */
export type ScheduledItem = {
  /** Interfaces written in one prompt: [id, fingerprint, needs that are in this module or failed upstream]. */
  units: [id: string, fingerprint: string, needs: string[]][];
  /** Places of the items it comes after. */
  after: number[];
};

/** `schedule/…`: one page. */
export type SchedulePage = {
  items: ScheduledItem[];
  /** Ends of units that are done already: `done`, `failed`, `blocked`. */
  ended: Record<string, UnitStatus>;
  /** Place of the first item of the next page; null at the end. */
  next: number | null;
};

/** How a unit ended. A blocked one was not begun, because what it needs failed. */
export type UnitStatus = 'done' | 'failed' | 'blocked';

/** `write/tests…`, `write/code…`: a blob; null where the model gave nothing that can be used. */
export type Written = { blob: string | null };

/** `try/…`: how units fared, in order. */
export type Tried = { report: string; passed: boolean[] };

/** Of what belongs to a whole module or tree: the graph it was made for. After an edit it is another one's, and not used. */
export type OfGraph = { of: string };

/** `repair/…`: what to try next; null where the model gave nothing that can be used. */
export type Repaired = { tests: string; code: string; cause: 'test' | 'code' | 'environment' } | { cause: null };

/** `unit/…`: its end. */
export type UnitEnd = { status: UnitStatus };

/** `check/freeze`: the candidate and what is to be said of it. */
export type Frozen = {
  candidate: { sha256: string; sizeBytes: number; files: number; provenance: 'generated' };
  figures: Record<string, number | null>;
  /** Blob of the planned features; null where nothing was planned. */
  plan: string | null;
};

/** Step in which a unit ends; its product is looked up by this name. */
export const unitStep = (id: string, fingerprint: string): string => `unit/${id}@${fingerprint}`;
