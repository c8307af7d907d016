import type { Json, JsonObject } from '../../../src/contract/json.js';
import { jsonHash, sha256Hex } from '../../../src/domain/content-hash.js';
import type { DatasetTools } from '../../../src/ports/suite.js';
import type { DatasetLock, LockedTask } from './dataset-lock.js';
import { tasksDigest, writeLock } from './dataset-lock.js';
import { refuseTelling } from './refuse-telling.js';
import type { DatasetTool } from './dataset-tool.js';
import { createDatasetTool, toolFiles } from './dataset-tool.js';
import { validateOnGold } from './gold-validation.js';
import type { ProjectSettings } from './project-settings.js';
import { readProjectSettings } from './project-settings.js';
import { obtainRelease } from './reference-release.js';
import type { RepocraftTask } from './repocraft-task.js';
import { packReference, storeDataset, taskHash } from './task-blobs.js';

/** A task before gold: no id and no category yet, those depend on its neighbours. */
type Draft = Omit<RepocraftTask, 'id' | 'category'>;

interface Plan {
  harvested: number;
  /** `tests/file.py::Class::test` → the rule that dropped it. */
  dropped: Record<string, { rule: string; detail: string }>;
  drafts: Draft[];
  /** Test functions whose groups were left out before gold, where there are far more groups than wanted. */
  unsampled: number;
}

/** Version of the dataset; raised by hand when the recipe changes meaning. */
const DATASET_VERSION = 1;

/**
 * Maintainer's build of one project: harvest, filter, group, describe, run on gold, sample, store and lock. What a pass
 * has found is in the blob store under what it was made of, so a build that was broken off goes on where it was.
 */
export async function buildDataset(
  projectName: string,
  tools: DatasetTools,
): Promise<{ lock: DatasetLock; lockPath: string }> {
  const project = await readProjectSettings(projectName, tools.suiteFolder);
  const release = await obtainRelease(project.pin, tools);
  const tool = await createDatasetTool(project, release, tools);
  const recipe = await recipeDigest(project, tools.suiteFolder);
  const plan = await planned(project, recipe, tool, tools);
  const subjects = plan.drafts.map((task) => ({ key: draftKey(task), task }));
  const findings = await validateOnGold(project, release, subjects, tools);
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
  const tasks = await numbered(tool, survivors);
  refuseTelling(tasks, project);
  const lock = lockOf(project, recipe, tasks, {
    harvested: plan.harvested,
    dropped,
    notSampled: plan.unsampled + functionsOf(survivors) - functionsOf(tasks),
    functions: functionsOf(tasks),
    tasks: tasks.length,
  });
  await storeDataset(tools.blobs, lock, tasks, await packReference(project, release));
  return { lock, lockPath: await writeLock(lock, tools.suiteFolder) };
}

async function planned(
  project: ProjectSettings,
  recipe: string,
  tool: DatasetTool,
  tools: DatasetTools,
): Promise<Plan> {
  const key = `repocraft/plan/${project.project}/${recipe}`;
  const known = await tools.blobs.recall(key);
  if (known !== null) return JSON.parse((await tools.blobs.get(known.sha256)).toString('utf8')) as Plan;
  tools.onProgress(`harvesting the tests of ${project.pin.name} ${project.pin.version}`);
  const plan = await tool.ask({ mode: 'plan', overrides: project.overrides as unknown as Json });
  const label = { name: 'dataset-plan.json', mediaType: 'application/json' };
  await tools.blobs.remember(key, await tools.blobs.put(JSON.stringify(plan), label));
  return plan as unknown as Plan;
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
