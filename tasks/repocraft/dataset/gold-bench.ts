import { join } from 'node:path';
import type { JsonObject } from '../../../src/contract/json.js';
import { jsonHash } from '../../../src/domain/content-hash.js';
import type { ContentMount } from '../../../src/ports/sandbox.js';
import type { DatasetTools } from '../../../src/ports/suite.js';
import { pythonFolder } from '../python-folder.js';
import { mountedFiles } from '../archives/packed-files.js';
import { GOLD_BATCH } from './plan.js';
import type { ProjectSettings } from './project-settings.js';
import type { RepocraftTask } from './repocraft-task.js';
import { answerOf, sandboxRun } from './trusted-python.js';
import { recallJson, rememberJson } from '../json-blobs.js';

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

/** What the true library did with one task. */
export interface GoldOutcome {
  outcome: 'passed' | 'failed' | 'skipped' | 'missing' | 'timeout' | 'slow';
  reason: string;
  /** Null where several tasks share a process. */
  cpuSeconds: number | null;
}

/** What a bench needs of the tools of dataset work. */
export type BenchTools = Pick<DatasetTools, 'sandbox' | 'blobs' | 'suiteFolder' | 'signal'>;

/** Key → outcome of one run. */
export type GoldAnswer = Record<string, GoldOutcome>;

/** Runs tasks on the true library of one project (`python/gold`), and remembers what they did. */
export interface GoldBench {
  run(run: GoldRun): Promise<GoldAnswer>;
  /** What was remembered of such a run with these tasks, library, image and runner, or null. */
  recall(run: GoldRun): Promise<GoldAnswer | null>;
  remember(run: GoldRun, answer: GoldAnswer): Promise<void>;
}

/** CPU a task may need on the true library, interpreter start included. */
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
  const runner = await pythonFolder(join(tools.suiteFolder, 'python/gold'), 'gold');
  const { package: other, ...content } = library;
  const imports = other === undefined ? goldImports(project) : [other];
  const mounts = [{ ...content, path: '/library' }, await mountedFiles(runner, '/tool')];
  const image = await tools.sandbox.imageDigest(project.image);
  const hashes = mounts.map((mount) => mount.sha256);
  const keyOf = (run: GoldRun): string =>
    `repocraft/gold/${project.project}/${jsonHash({ request: requestOf(imports, run), content: hashes, image })}`;
  return {
    run: (run) => goldRun(project, tools, mounts, requestOf(imports, run)),
    recall: (run) => recallJson<GoldAnswer>(tools.blobs, keyOf(run)),
    remember: (run, answer) => rememberJson(tools.blobs, { key: keyOf(run), name: 'gold-outcomes.json' }, answer),
  };
}

/** What gold imports once for all tasks of a project, before it runs them. */
export const goldImports = ({ settings: { package: own, warm = [] } }: ProjectSettings): string[] => [own, ...warm];

function requestOf(imports: string[], { subjects, hashSeed }: GoldRun): JsonObject {
  const tasks = subjects.map(goldTask);
  const kind = hashSeed === 0 ? 'isolated' : 'batched';
  const order = subjects.map(({ key }) => key);
  return { tasks, kind, imports, hashSeed, order };
}

/** A task as `python/gold` is asked to run it. */
export function goldTask({ key, task }: GoldSubject): JsonObject {
  const { test_code, auxiliary_code, functions, fixtures } = task;
  return { id: key, test_code, auxiliary_code, functions, plugins: pluginsOf(fixtures) };
}

async function goldRun(
  project: ProjectSettings,
  tools: BenchTools,
  mounts: ContentMount[],
  request: JsonObject,
): Promise<GoldAnswer> {
  const run = {
    ...sandboxRun(project, tools, mounts),
    command: ['python3', '/tool/gold', '/work/request.json', '/library'],
    files: { 'request.json': JSON.stringify(request) },
    env: { PYTHONHASHSEED: JSON.stringify(request.hashSeed) },
  };
  return (await answerOf(tools, { ...run, limits: { ...run.limits, ...RUN_LIMITS } })) as unknown as GoldAnswer;
}

/** pytest plugins a task's fixtures come from; everything else is autoloaded by nobody. */
export function pluginsOf(fixtures: RepocraftTask['fixtures']): string[] {
  const plugins = fixtures
    .map((fixture) => fixture.provider)
    .filter((name) => name !== 'pytest' && name !== 'test_code');
  return [...new Set(plugins)].sort();
}
