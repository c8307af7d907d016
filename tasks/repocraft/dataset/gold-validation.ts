import { join } from 'node:path';
import { sha256Hex } from '../../../src/domain/content-hash.js';
import type { ContentMount } from '../../../src/ports/sandbox.js';
import type { DatasetTools } from '../../../src/ports/suite.js';
import { answerOf, pythonFolder, sandboxRun } from './dataset-tool.js';
import { mountedFiles } from './packed-files.js';
import type { ProjectSettings } from './project-settings.js';
import type { ReleaseFiles } from './reference-release.js';
import type { RepocraftTask } from './repocraft-task.js';

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
  outcome: 'passed' | 'failed' | 'skipped' | 'missing' | 'timeout';
  reason: string;
  cpuSeconds: number | null;
}

/** CPU a task may need on the true library, interpreter start included. */
const SLOWEST_CPU_SECONDS = 5;
/** Tasks per container run of the isolated pass: a lost run repeats little. */
const CHUNK = 24;
const RULES = { failed: 'gold-failed', skipped: 'gold-skipped', timeout: 'gold-timeout', missing: 'dead' } as const;

/** Runs tasks on the true library: once isolated, twice all together, shuffled, with other hash seeds. Key → finding. */
export async function validateOnGold(
  project: ProjectSettings,
  release: ReleaseFiles,
  subjects: readonly GoldSubject[],
  tools: DatasetTools,
): Promise<Map<string, GoldFinding>> {
  const mounts = await goldMounts(project, release, tools);
  const isolated = new Map<string, Outcome>();
  for (let start = 0; start < subjects.length; start += CHUNK) {
    const chunk = subjects.slice(start, start + CHUNK);
    tools.onProgress(`gold, isolated: ${start} of ${subjects.length}`);
    for (const [key, outcome] of await goldRun(project, tools, mounts, chunk, 0)) isolated.set(key, outcome);
  }
  // One test that is not there ends a whole pytest run, so only what holds alone is tried together.
  const holding = subjects.filter(({ key }) => finding(isolated.get(key), []).rule === null);
  const batches: Map<string, Outcome>[] = [];
  for (const hashSeed of [1, 2]) {
    tools.onProgress(`gold, all together, hash seed ${hashSeed}`);
    batches.push(await goldRun(project, tools, mounts, shuffled(holding, hashSeed), hashSeed));
  }
  const together = (key: string): Outcome[] => batches.flatMap((run) => run.get(key) ?? []);
  return new Map(subjects.map(({ key }) => [key, finding(isolated.get(key), together(key))]));
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

async function goldMounts(
  project: ProjectSettings,
  release: ReleaseFiles,
  tools: DatasetTools,
): Promise<ContentMount[]> {
  const inside = `${project.settings.packageRoot}/${project.settings.package}/`;
  const library = new Map([...release].filter(([path]) => path.startsWith(inside)));
  const runner = new Map(await pythonFolder(join(tools.suiteFolder, 'python/gold'), 'gold'));
  return [await mountedFiles(library, '/library'), await mountedFiles(runner, '/tool')];
}

async function goldRun(
  project: ProjectSettings,
  tools: DatasetTools,
  mounts: ContentMount[],
  subjects: readonly GoldSubject[],
  hashSeed: number,
): Promise<Map<string, Outcome>> {
  const tasks = subjects.map(({ key, task }) => ({
    id: key,
    test_code: task.test_code,
    auxiliary_code: task.auxiliary_code,
    functions: task.functions,
    plugins: pluginsOf(task.fixtures),
  }));
  const kind = hashSeed === 0 ? 'isolated' : 'batched';
  const request = JSON.stringify({ tasks, kind, hashSeed, order: subjects.map(({ key }) => key) });
  const command = ['python3', '/tool/gold', '/work/request.json', `/library/${project.settings.packageRoot}`];
  const run = { ...sandboxRun(project, tools, mounts), command, files: { 'request.json': request } };
  return new Map(Object.entries((await answerOf(tools, run)) as unknown as Record<string, Outcome>));
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
