import { join } from 'node:path';
import type { JsonObject } from '../../../src/contract/json.js';
import { jsonHash, sha256Hex } from '../../../src/domain/content-hash.js';
import type { ContentMount } from '../../../src/ports/sandbox.js';
import type { DatasetTools } from '../../../src/ports/suite.js';
import { answerOf, pythonFolder, sandboxRun } from './dataset-tool.js';
import { mountedFiles } from './packed-files.js';
import type { ProjectSettings } from './project-settings.js';
import type { ReleaseFiles } from './reference-release.js';
import type { RepocraftTask } from './repocraft-task.js';
import { referenceFiles } from './task-blobs.js';

/** A task or a draft of one, with the key gold runs know it by. */
export interface GoldSubject {
  key: string;
  task: Pick<RepocraftTask, 'test_code' | 'auxiliary_code' | 'functions' | 'fixtures'>;
}

/** Why a task does not hold on the true library; null = it holds. */
export interface GoldFinding {
  rule: 'gold-failed' | 'gold-skipped' | 'gold-timeout' | 'dead' | 'gold-flaky' | 'slow' | null;
  reason: string;
  /** Of the isolated run, for the datasheet; outside every hash. */
  cpuSeconds: number;
}

interface Outcome {
  outcome: 'passed' | 'failed' | 'skipped' | 'missing' | 'timeout' | 'slow';
  reason: string;
  cpuSeconds: number | null;
}

/** CPU a task may need on the true library, interpreter start included. */
const SLOWEST_CPU_SECONDS = 5;
/** Tasks per container run of the isolated pass: a lost run repeats little. */
const CHUNK = 24;
/** Tasks that share a process in the batched passes: enough to disturb each other, few enough to fit its memory. */
const BATCH = 100;
/** Container runs at a time: the sandbox of a command has as many slots. */
const RUNS_AT_ONCE = 2;
/** For a process: a whole batch, each of whose tasks has stayed below the slowest allowed. */
const RUN_LIMITS = { cpuSeconds: BATCH * SLOWEST_CPU_SECONDS, wallSeconds: BATCH * SLOWEST_CPU_SECONDS * 8 };
const RULES = {
  failed: 'gold-failed',
  skipped: 'gold-skipped',
  timeout: 'gold-timeout',
  missing: 'dead',
  slow: 'slow',
} as const;

/** One container run: some tasks, each in a process of its own (hash seed 0) or all in one. */
interface GoldRun {
  subjects: readonly GoldSubject[];
  hashSeed: number;
}

/** Runs tasks on the true library: once isolated, twice all together, shuffled, with other hash seeds. Key → finding. What was run before is not run again. */
export async function validateOnGold(
  project: ProjectSettings,
  release: ReleaseFiles,
  subjects: readonly GoldSubject[],
  tools: DatasetTools,
): Promise<Map<string, GoldFinding>> {
  const bench = await goldBench(project, release, tools);
  const alone = chunks(subjects, CHUNK).map((chunk) => ({ subjects: chunk, hashSeed: 0 }));
  const isolated = await outcomes(bench, 'gold, isolated', alone);
  // One test that is not there ends a whole pytest run, so only what holds alone is tried together.
  const holding = subjects.filter(({ key }) => finding(isolated.get(key)?.[0], []).rule === null);
  const together = [1, 2].flatMap((hashSeed) =>
    chunks(shuffled(holding, hashSeed), BATCH).map((batch) => ({ subjects: batch, hashSeed })),
  );
  const batched = await outcomes(bench, 'gold, all together', together);
  return new Map(subjects.map(({ key }) => [key, finding(isolated.get(key)?.[0], batched.get(key) ?? [])]));
}

/** Every outcome of every task, in the order of the runs. */
async function outcomes(bench: GoldBench, title: string, runs: readonly GoldRun[]): Promise<Map<string, Outcome[]>> {
  const answers: Record<string, Outcome>[] = [];
  let next = 0;
  const takeTurns = async (): Promise<void> => {
    for (let turn = next++; turn < runs.length; turn = next++) {
      bench.tools.onProgress(`${title}: run ${turn + 1} of ${runs.length}`);
      answers[turn] = await bench.run(runs[turn]!);
    }
  };
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, takeTurns));
  const found = new Map<string, Outcome[]>();
  for (const [key, outcome] of answers.flatMap((answer) => Object.entries(answer))) {
    found.set(key, [...(found.get(key) ?? []), outcome]);
  }
  return found;
}

function finding(alone: Outcome | undefined, together: readonly Outcome[]): GoldFinding {
  if (alone === undefined) throw new TypeError('gold run without an outcome');
  const cpuSeconds = alone.cpuSeconds ?? 0;
  if (alone.outcome !== 'passed') return { rule: RULES[alone.outcome], reason: alone.reason, cpuSeconds };
  if (cpuSeconds > SLOWEST_CPU_SECONDS) return { rule: 'slow', reason: `${cpuSeconds} s of CPU`, cpuSeconds };
  const other = together.find((outcome) => outcome.outcome !== 'passed');
  if (other !== undefined) return { rule: 'gold-flaky', reason: other.reason, cpuSeconds };
  return { rule: null, reason: '', cpuSeconds };
}

interface GoldBench {
  tools: DatasetTools;
  /** The outcomes of one run: from the store where it was done before with these tasks, library, image and runner. */
  run(run: GoldRun): Promise<Record<string, Outcome>>;
}

async function goldBench(project: ProjectSettings, release: ReleaseFiles, tools: DatasetTools): Promise<GoldBench> {
  const runner = new Map(await pythonFolder(join(tools.suiteFolder, 'python/gold'), 'gold'));
  const mounts = await Promise.all([
    mountedFiles(referenceFiles(project, release), '/library'),
    mountedFiles(runner, '/tool'),
  ]);
  const image = await tools.sandbox.imageDigest(project.image);
  return {
    tools,
    async run(run) {
      const request = requestOf(project, run);
      const content = mounts.map((mount) => mount.sha256);
      const key = `repocraft/gold/${project.project}/${jsonHash({ request, content, image })}`;
      const known = await tools.blobs.recall(key);
      if (known !== null) return JSON.parse((await tools.blobs.get(known.sha256)).toString('utf8')) as Answer;
      const answer = await goldRun(project, tools, mounts, request);
      const label = { name: 'gold-outcomes.json', mediaType: 'application/json' };
      await tools.blobs.remember(key, await tools.blobs.put(JSON.stringify(answer), label));
      return answer;
    },
  };
}

type Answer = Record<string, Outcome>;

function requestOf(project: ProjectSettings, { subjects, hashSeed }: GoldRun): JsonObject {
  const tasks = subjects.map(({ key, task }) => ({
    id: key,
    test_code: task.test_code,
    auxiliary_code: task.auxiliary_code,
    functions: task.functions,
    plugins: pluginsOf(task.fixtures),
  }));
  const kind = hashSeed === 0 ? 'isolated' : 'batched';
  const order = subjects.map(({ key }) => key);
  return { tasks, kind, package: project.settings.package, hashSeed, order };
}

async function goldRun(
  project: ProjectSettings,
  tools: DatasetTools,
  mounts: ContentMount[],
  request: JsonObject,
): Promise<Answer> {
  const run = {
    ...sandboxRun(project, tools, mounts),
    command: ['python3', '/tool/gold', '/work/request.json', '/library'],
    files: { 'request.json': JSON.stringify(request) },
    env: { PYTHONHASHSEED: JSON.stringify(request.hashSeed) },
  };
  return (await answerOf(tools, { ...run, limits: { ...run.limits, ...RUN_LIMITS } })) as unknown as Answer;
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, number) =>
    items.slice(number * size, (number + 1) * size),
  );
}

/** pytest plugins a task's fixtures come from; everything else is autoloaded by nobody. */
export function pluginsOf(fixtures: RepocraftTask['fixtures']): string[] {
  const plugins = fixtures
    .map((fixture) => fixture.provider)
    .filter((name) => name !== 'pytest' && name !== 'test_code');
  return [...new Set(plugins)].sort();
}

function shuffled(subjects: readonly GoldSubject[], seed: number): GoldSubject[] {
  const rank = (subject: GoldSubject): string => sha256Hex(`${seed} ${subject.key}`);
  return [...subjects].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
