import type { Failure } from './failure.js';
import type { Json } from './json.js';

/** The account of a build that asks a model, and the epoch it was opened under. */
export interface OpenedAccount {
  accountId: string;
  epoch: number;
}

/** One step of a dataset build, as its activity is asked for it; all a history ever holds of it. */
export interface BuildCall {
  suite: string;
  project: string;
  /** Absent where no model is asked. */
  account?: OpenedAccount;
  /** One of the suite's `dataset.build.steps`. */
  step: string;
  /** Small JSON from earlier steps: ids, hashes, counts. Below 4 KiB. */
  input: Json;
}

/** A file that a build makes: where it belongs in the suite's folder, and its bytes in the blob store. */
export interface BuiltFile {
  /** Relative, such as `dataset/requests.lock.json`. */
  path: string;
  sha256: string;
}

/** What the build of one project comes to. */
export interface BuiltProject {
  tasks: number;
  /** Of the dataset, as campaigns pin it. */
  digest: string;
  files: BuiltFile[];
  /** Blob of a text for maintainers: what was left out and why, a line each. */
  leftOut: string;
}

/** What the plan of a build is handed. What cannot be retried any more is thrown as `DomainFailure`. */
export interface BuildSteps {
  /** One activity: durable, retried and timed on its own. `summary` is its line in the Temporal UI. */
  step: <Result>(name: string, call: { input?: Json; summary: string }) => Promise<Result>;
  /** Work in so many chunks (0, 1, …), a few at once; the results in their order. */
  chunks: <Result>(count: number, work: (chunk: number) => Promise<Result>) => Promise<Result[]>;
  /** Whether the tasks are drawn anew; else those that are locked keep their place. */
  newSample: boolean;
}

/** How the dataset of one project is made: plain async code, deterministic, reading like the recipe. */
export type BuildPlan = (project: string, steps: BuildSteps) => Promise<BuiltProject>;

/** Input of a dataset build. */
export interface BuildInput {
  suite: string;
  projects: string[];
  /** Account that pays for a model which describes the tasks anew, as another version of the dataset; absent: the tasks are made. */
  account?: string;
  /** Present where the tasks are drawn anew; absent: those that are locked keep their place. */
  newSample?: true;
}

/** How the build of one project ended. */
export type BuildEnd = { ended: 'built'; built: BuiltProject } | { ended: 'failed'; failure: Failure };

/** Result of a dataset build: what each project came to. One that fails does not hold back the others. */
export interface BuildResult {
  projects: Record<string, BuildEnd>;
}

/** Where the build of one project stands. */
export interface ProjectProgress {
  project: string;
  /** Steps that have ended well. */
  done: number;
  /** Summaries of the steps under way. */
  running: string[];
  /** The part under way that is done in chunks; absent where none is. */
  chunks?: { done: number; left: number };
  end: BuildEnd | null;
}
