import { join } from 'node:path';
import type { Json, JsonObject } from '../../../src/contract/json.js';
import { jsonHash } from '../../../src/domain/text/content-hash.js';
import type { ContentMount } from '../../../src/ports/sandbox.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { pythonFolder } from '../python-folder.js';
import { mountedFiles, type Tree } from '../../../src/suite-kit/packed-files.js';
import { GOLD_BATCH } from './plan.js';
import type { ProjectSettings } from './project-settings.js';
import type { RepocraftTask } from './repocraft-task.js';
import { answerOf, sandboxRun } from './trusted-python.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';

/** A task or a draft of one, with the key gold runs know it by: a Python name. */
export interface GoldSubject {
  key: string;
  task: Pick<RepocraftTask, 'test_code' | 'auxiliary_code' | 'functions' | 'fixtures'>;
}

/** One container run: some tasks, each in a process of its own (hash seed 0) or all in one. */
export interface GoldRun {
  subjects: readonly GoldSubject[];
  hashSeed: number;
}

/** What the reference did with one task. */
export interface GoldOutcome {
  outcome: 'passed' | 'failed' | 'skipped' | 'missing' | 'timeout' | 'slow';
  reason: string;
  /** Null where several tasks share a process. */
  cpuSeconds: number | null;
}

/** What a bench needs of the tools of dataset work. */
export type BenchTools = Pick<DatasetTools, 'sandbox' | 'blobs' | 'suiteFolder' | 'signal'>;

/** Key → outcome of one run. */
export type GoldAnswer<Outcome extends GoldOutcome = GoldOutcome> = Record<string, Outcome>;

/** Runs tasks on the reference of one project (`python/gold`), and remembers what they did. */
export interface GoldBench<Outcome extends GoldOutcome = GoldOutcome> {
  run(run: GoldRun): Promise<GoldAnswer<Outcome>>;
  /** What was remembered of such a run with these tasks, library, image and runner, or null. */
  recall(run: GoldRun): Promise<GoldAnswer<Outcome> | null>;
  remember(run: GoldRun, answer: GoldAnswer<Outcome>): Promise<void>;
}

/** The Python that runs the tasks of a bench. */
export interface BenchRunner {
  /** Its folder under `/tool`. */
  name: string;
  /** That folder, and what it imports. */
  files: Tree;
  /** What it is asked beside the tasks. */
  asked: JsonObject;
}

/** CPU a task may need on the reference, interpreter start included. */
export const SLOWEST_CPU_SECONDS = 5;
/** For a process: a whole batch, each of whose tasks has stayed below the slowest allowed. */
const RUN_LIMITS = { cpuSeconds: GOLD_BATCH * SLOWEST_CPU_SECONDS, wallSeconds: GOLD_BATCH * SLOWEST_CPU_SECONDS * 8 };

/** What a bench runs on, as a tar: the reference as `packReference` makes it, or a library that stands in for it. */
export type BenchLibrary = Omit<ContentMount, 'path'> & {
  /** The top package, which its tests import first; the project's own when left out. */
  package?: string;
};

/** A bench for one project. */
export async function createGoldBench(
  project: ProjectSettings,
  library: BenchLibrary,
  tools: BenchTools,
): Promise<GoldBench> {
  const files = await pythonFolder(join(tools.suiteFolder, 'python/gold'), 'gold');
  return createBench({ project, library, runner: { name: 'gold', files, asked: {} } }, tools);
}

/** A bench for one project, whose tasks another Python than gold's runs, in the same way. */
export async function createBench<Outcome extends GoldOutcome>(
  { project, library, runner }: { project: ProjectSettings; library: BenchLibrary; runner: BenchRunner },
  tools: BenchTools,
): Promise<GoldBench<Outcome>> {
  const { package: other, ...content } = library;
  const { package: own, warm = [] } = project.settings;
  const imports = other === undefined ? [own, ...warm] : [other];
  const mounts = [{ ...content, path: '/library' }, await mountedFiles(runner.files, '/tool')];
  const image = await tools.sandbox.imageDigest(project.image);
  const hashes = mounts.map((mount) => mount.sha256);
  const requestOf = (run: GoldRun): JsonObject => ({ ...tasksOf(run), imports, ...runner.asked });
  const keyOf = (run: GoldRun): string =>
    `repocraft/${runner.name}/${project.project}/${jsonHash({ request: requestOf(run), content: hashes, image })}`;
  const name = `${runner.name}-outcomes.json`;
  return {
    run: async (run) => {
      const answer = await runnerAnswer({ project, mounts, name: runner.name, request: requestOf(run) }, tools);
      return answer as unknown as GoldAnswer<Outcome>;
    },
    recall: (run) => recallJson<GoldAnswer<Outcome>>(tools.blobs, keyOf(run)),
    remember: (run, answer) => rememberJson(tools.blobs, { key: keyOf(run), name }, answer),
  };
}

function tasksOf({ subjects, hashSeed }: GoldRun): JsonObject {
  const tasks = subjects.map(({ key, task }) => ({
    id: key,
    test_code: task.test_code,
    auxiliary_code: task.auxiliary_code,
    functions: task.functions,
    plugins: pluginsOf(task.fixtures),
  }));
  const kind = hashSeed === 0 ? 'isolated' : 'batched';
  const order = subjects.map(({ key }) => key);
  return { tasks, kind, hashSeed, order };
}

async function runnerAnswer(
  asked: { project: ProjectSettings; mounts: ContentMount[]; name: string; request: JsonObject },
  tools: BenchTools,
): Promise<Json> {
  const { project, mounts, name, request } = asked;
  const run = {
    ...sandboxRun(project, tools, mounts),
    command: ['python3', `/tool/${name}`, '/work/request.json', '/library'],
    files: { 'request.json': JSON.stringify(request) },
    env: { PYTHONHASHSEED: JSON.stringify(request.hashSeed) },
  };
  return answerOf(tools, { ...run, limits: { ...run.limits, ...RUN_LIMITS } });
}

/** pytest plugins a task's fixtures come from; everything else is autoloaded by nobody. */
export function pluginsOf(fixtures: RepocraftTask['fixtures']): string[] {
  const plugins = fixtures
    .map((fixture) => fixture.provider)
    .filter((name) => name !== 'pytest' && name !== 'test_code');
  return [...new Set(plugins)].sort();
}
