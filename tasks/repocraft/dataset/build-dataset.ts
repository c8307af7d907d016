import type { BuildCall } from '../../../src/contract/dataset-build.js';
import type { Json, JsonObject } from '../../../src/contract/json.js';
import { jsonHash, sha256Hex } from '../../../src/domain/content-hash.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { BuildStep, DatasetBuild, DatasetTools } from '../../../src/ports/suite.js';
import type { DatasetLock, LockedTask } from './dataset-lock.js';
import { lockPath, lockText, tasksDigest } from './dataset-lock.js';
import type { DatasetTool } from './dataset-tool.js';
import { createDatasetTool, toolFiles } from './dataset-tool.js';
import { createGoldBench, type GoldBench, type GoldSubject } from './gold-bench.js';
import { chunks, holdingAlone, runAlone, runOnce, togetherRuns, validateOnGold } from './gold-validation.js';
import { GOLD_PORTION, type GoldInput, type Harvest } from './plan.js';
import { DATASET_PROJECTS, projectImage, readProjectSettings, type ProjectSettings } from './project-settings.js';
import { obtainRelease, type ReleaseFiles } from './reference-release.js';
import { refuseTelling } from './refuse-telling.js';
import type { RepocraftTask } from './repocraft-task.js';
import { packReference, storeDataset, taskHash } from './task-blobs.js';

/** A task before gold: no id and no category yet, those depend on its neighbours. */
type Draft = Omit<RepocraftTask, 'id' | 'category'>;

interface Drafts {
  harvested: number;
  /** `tests/file.py::Class::test` → the rule that dropped it. */
  dropped: Record<string, { rule: string; detail: string }>;
  drafts: Draft[];
  /** Test functions whose groups were left out before gold, where there are far more groups than wanted. */
  unsampled: number;
}

/** Version of the dataset; raised by hand when the recipe changes meaning. */
const DATASET_VERSION = 2;

/** The steps that the plan of a build (`plan.ts`) calls. */
export const repocraftBuild: DatasetBuild = {
  version: DATASET_VERSION,
  projects: DATASET_PROJECTS,
  images: (projects) => [...new Set(projects.map(projectImage))],
  steps: { harvest, 'gold-alone': goldAlone, 'gold-together': goldTogether, lock: lockTasks },
};

/** Cuts drafts of tasks out of the release. Known again by the recipe, without the release. */
async function harvest({ project: name }: StepCall, tools: DatasetTools): Promise<Harvest> {
  const project = await readProjectSettings(name, tools.suiteFolder);
  const recipe = await recipeDigest(project, tools.suiteFolder);
  let unpacked: Promise<ReleaseFiles> | undefined;
  const release = (): Promise<ReleaseFiles> => (unpacked ??= obtainRelease(project.pin, tools));
  const plan = await kept(tools.blobs, `repocraft/plan/${name}/${recipe}`, 'dataset-plan.json', async () => {
    tools.onProgress(`harvesting the tests of ${project.pin.name} ${project.pin.version}`);
    const tool = await createDatasetTool(project, await release(), tools);
    return JSON.stringify(await tool.ask({ mode: 'plan', overrides: project.overrides as unknown as Json }));
  });
  const reference = await kept(tools.blobs, `repocraft/library/${name}/${recipe}`, `${name}-reference.tar`, async () =>
    packReference(project, await release()),
  );
  const { drafts } = await draftsOf(tools.blobs, plan);
  return { drafts: drafts.length, plan, reference, recipe };
}

/** One portion of the drafts on the true library, each in a process of its own. */
async function goldAlone({ project, input }: StepCall, tools: DatasetTools): ReturnType<BuildStep> {
  const { portion, ...harvested } = input as GoldInput;
  const { bench, subjects } = await openWork(project, harvested, tools);
  const own = chunks(subjects, GOLD_PORTION)[portion] ?? [];
  const outcomes = await runAlone(bench, own, (line) => tools.onProgress(line));
  return { held: holdingAlone(own, outcomes).length };
}

/** One batch of those that held, in one process. */
async function goldTogether({ project, input }: StepCall, tools: DatasetTools): ReturnType<BuildStep> {
  const { portion, ...harvested } = input as GoldInput;
  const { bench, subjects } = await openWork(project, harvested, tools);
  const alone = await runAlone(bench, subjects, (line) => tools.onProgress(line));
  const run = togetherRuns(holdingAlone(subjects, alone))[portion];
  if (run !== undefined) await runOnce(bench, run);
  return null;
}

/** What gold says of every draft is known by now: sample, number, describe and pin what holds. */
async function lockTasks({ project: name, input }: StepCall, tools: DatasetTools): ReturnType<BuildStep> {
  const { recipe, reference } = input as Harvest;
  const { project, bench, subjects, plan } = await openWork(name, input as Harvest, tools);
  await refuseOtherRecipe(project, recipe, tools.suiteFolder);
  const findings = await validateOnGold(bench, subjects, (line) => tools.onProgress(line));
  const survivors: Draft[] = [];
  const dropped = countRules(Object.values(plan.dropped).map((entry) => entry.rule));
  for (const { key, task } of subjects) {
    const found = findings.get(key);
    if (found === undefined || found.rule === null) survivors.push(task);
    else {
      tools.onProgress(`${found.rule}: ${task.functions.join(', ')}: ${found.reason.split('\n').at(-1) ?? ''}`);
      dropped[found.rule] = (dropped[found.rule] ?? 0) + task.functions.length;
    }
  }
  const tool = await createDatasetTool(project, await obtainRelease(project.pin, tools), tools);
  const tasks = await numbered(tool, survivors);
  refuseTelling(tasks, project);
  const lock = lockOf(project, recipe, tasks, {
    harvested: plan.harvested,
    dropped,
    notSampled: plan.unsampled + functionsOf(survivors) - functionsOf(tasks),
    functions: functionsOf(tasks),
    tasks: tasks.length,
  });
  await storeDataset(tools.blobs, lock, tasks, await tools.blobs.get(reference));
  const path = lockPath(name, '');
  const { sha256 } = await tools.blobs.put(lockText(lock), { name: path, mediaType: 'application/json' });
  return { tasks: tasks.length, digest: lock.digest, files: [{ path, sha256 }] };
}

type StepCall = Pick<BuildCall, 'project' | 'input'>;

/** What the steps after the harvest work on. */
async function openWork(
  name: string,
  harvested: Harvest,
  tools: DatasetTools,
): Promise<{
  project: ProjectSettings;
  plan: Drafts;
  bench: GoldBench;
  subjects: (GoldSubject & { task: Draft })[];
}> {
  const project = await readProjectSettings(name, tools.suiteFolder);
  const plan = await draftsOf(tools.blobs, harvested.plan);
  const reference = { sha256: harvested.reference, load: () => tools.blobs.get(harvested.reference) };
  const bench = await createGoldBench(project, reference, tools);
  return { project, plan, bench, subjects: plan.drafts.map((task) => ({ key: draftKey(task), task })) };
}

/** The blob that is remembered under the key, made where there is none. */
async function kept(
  blobs: Blobs,
  key: string,
  name: string,
  make: () => Promise<Uint8Array | string>,
): Promise<string> {
  const known = await blobs.recall(key);
  if (known !== null) return known.sha256;
  const mediaType = name.endsWith('.tar') ? 'application/x-tar' : 'application/json';
  const made = await blobs.put(await make(), { name, mediaType });
  await blobs.remember(key, made);
  return made.sha256;
}

async function draftsOf(blobs: Blobs, sha256: string): Promise<Drafts> {
  return JSON.parse((await blobs.get(sha256)).toString('utf8')) as Drafts;
}

/** What was cut by one recipe is not numbered and described by another. */
async function refuseOtherRecipe(project: ProjectSettings, recipe: string, suiteFolder: string): Promise<void> {
  if ((await recipeDigest(project, suiteFolder)) === recipe) return;
  const name = project.project;
  throw new DomainFailure('dataset.hash-mismatch', {
    what: `the recipe of ${name} changed while it was built`,
    allowed: 'settings, overrides, pin, Python and stand-ins that stay as they were when the build began',
    remedy: `durabench dataset build repocraft --project ${name} (what is as it was is not done again)`,
  });
}

async function numbered(tool: DatasetTool, drafts: Draft[]): Promise<RepocraftTask[]> {
  const answer = await tool.ask({ mode: 'number', drafts: drafts as unknown as Json });
  return answer.tasks as unknown as RepocraftTask[];
}

/** Of its content, so that what gold said of a draft is known again whatever became of its neighbours. */
function draftKey({ source, functions, test_code, auxiliary_code }: Draft): string {
  return `t${jsonHash({ file: source.file, functions, test_code, auxiliary_code }).slice(0, 20)}`;
}

function lockOf(
  project: ProjectSettings,
  recipe: string,
  tasks: readonly RepocraftTask[],
  counts: DatasetLock['counts'],
): DatasetLock {
  const locked = tasks.map((task) => lockedTask(task));
  const { name, version, sha256 } = project.pin;
  return {
    suite: 'repocraft',
    version: DATASET_VERSION,
    project: project.project,
    reference: { name, version, sha256 },
    recipe,
    counts,
    tasks: locked,
    digest: tasksDigest(locked),
  };
}

function lockedTask(task: RepocraftTask): LockedTask {
  const { id, category, difficulty, source, functions } = task;
  return { id, sha256: taskHash(task), category, difficulty, file: source.file, lines: source.lines, functions };
}

/** sha-256 over everything of ours that decides what the tasks are. */
export async function recipeDigest(project: ProjectSettings, suiteFolder: string): Promise<string> {
  const files = await toolFiles(project, suiteFolder);
  const hashes = [...files].map(([path, bytes]) => [path, sha256Hex(bytes)]).sort();
  const { settings, overrides, pin } = project;
  return jsonHash({ settings, overrides, pin, hashes } as unknown as JsonObject);
}

function countRules(rules: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const rule of [...rules].sort()) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}

function functionsOf(tasks: readonly { functions: string[] }[]): number {
  return tasks.reduce((sum, task) => sum + task.functions.length, 0);
}
