import type { BuildCall, BuiltFile } from '../contract/dataset-build.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { DatasetSelection } from '../contract/task.js';
import type { Blobs } from '../ports/blobs.js';
import type { Downloads } from '../ports/downloads.js';
import type { ModelAnswer, Question } from '../ports/model.js';
import type { PackageIndex } from '../ports/package-index.js';
import type { Sandbox } from '../ports/sandbox.js';

/** What dataset work is given. */
export interface DatasetTools {
  blobs: Blobs;
  sandbox: Sandbox;
  /** Runs of the sandbox at once; absent where others share it. */
  slots?: number;
  /** Where pinned releases come from. */
  packages: PackageIndex;
  /** Where pinned files of the web come from. */
  downloads: Downloads;
  suiteFolder: string;
  /** Folder for downloads, kept between runs. */
  cacheFolder: string;
  /** `part`: what has ended of all there is to do, where that is known; how long the rest takes is told from it. */
  onProgress(line: string, part?: { ended: number; of: number }): void;
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

/** What the worker and the CLI know of a suite's build; what runs when is the plan beside the manifest (`SuitePlans.datasetBuild`). */
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
  };
}

/** A file of an exported dataset: a path below its folder, and what it holds. */
export interface ExportedFile {
  path: string;
  bytes: Uint8Array;
}

/** A task of a benchmark as somebody else published it. */
export interface PublishedTask {
  id: string;
  project: string;
  /** `refused`: this machine cannot run it; `unavailable`: what it needs could not be had, which says nothing of the task. */
  state: 'planned' | 'refused' | 'unavailable';
  /** Why it is not planned: a word for each reason, and what it means here. */
  reasons: { code: string; message: string }[];
}

/** What a published benchmark comes to on this machine. */
export interface PublishedSet {
  tasks: PublishedTask[];
  /** What else there is to say of it, a line each. */
  notes: string[];
  /** Of the tasks whose files are all there. */
  digest: string;
  /** What pins it, to be written into the suite's folder; none where it is pinned already. */
  files: BuiltFile[];
}

/** How a suite's tasks come to be. */
export interface SuiteDataset {
  /** Fetches or extracts the locked tasks into the blob store and checks every hash; cheap when done before. */
  fetch(
    options: { projects: string[]; verify: boolean; version?: string | undefined },
    tools: DatasetTools,
  ): Promise<{ tasks: number; digest: string }>;
  /** The fetched tasks as plain files, licences beside them. Absent where there is nothing to give on. */
  export?(
    options: { projects: string[]; version?: string | undefined },
    tools: DatasetTools,
  ): AsyncIterable<ExportedFile>;
  /**
   * Reads the benchmark as others published it from a folder, has its files downloaded and pinned, and says which tasks this
   * machine can run; `isDry`: asks no server and keeps nothing. Absent where nobody else published it.
   */
  published?(
    options: { folder: string; projects: string[]; isDry: boolean },
    tools: DatasetTools,
  ): Promise<PublishedSet>;
  /** Maintainer's build, which makes the tasks and the lock. Absent where the tasks are authored in the repository. */
  build?: DatasetBuild;
  /** The tasks a campaign selects, from the lock alone (fetching is not needed to plan). */
  select(selection: JsonObject, seed: number, suiteFolder: string): Promise<DatasetSelection>;
  /** Project (or part) names a user may ask for; those with a lock. */
  projects: readonly string[];
}
