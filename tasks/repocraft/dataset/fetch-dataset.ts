import { isDeepStrictEqual } from 'node:util';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { lockPath, readLock, type DatasetLock, type LockedTask } from './lock/dataset-lock.js';
import { createDatasetTool } from './dataset-tool.js';
import { createGoldBench } from './gold-bench.js';
import { validateOnGold } from './gold-validation.js';
import { placesOf } from './lock/kept-sample.js';
import { lockedEntry } from './lock/make-lock.js';
import { packedTar } from '../../../src/suite-kit/packed-files.js';
import { readProjectSettings, type ProjectSettings, type ReleasePin } from './project-settings.js';
import { obtainRelease } from './reference-release.js';
import type { RepocraftTask } from './repocraft-task.js';
import { isStored, lockedTasks, packReference, storeDataset, taskHash } from './task-blobs.js';

/**
 * Puts exactly the locked tasks of one project into the blob store, cut out of the pinned release again. No filtering, no
 * timing; `verify` runs gold.
 * @throws DomainFailure `dataset.hash-mismatch` where the lock says anything else of a task than the task itself
 */
export async function fetchDataset(
  projectName: string,
  { verify, version }: { verify: boolean; version?: string | undefined },
  tools: DatasetTools,
): Promise<DatasetLock> {
  const lock = await readLock(projectName, tools.suiteFolder, version);
  const project = await readProjectSettings(projectName, tools.suiteFolder);
  checkReference(lock, project.pin);
  if (!verify && (await isStored(tools.blobs, lock))) {
    checkEntries(lock, await lockedTasks(tools.blobs, lock));
    return lock;
  }
  const release = await obtainRelease(project.pin, tools);
  tools.onProgress(`extracting ${lock.tasks.length} tasks of ${projectName}`);
  const tool = await createDatasetTool(project, release, tools);
  const answer = await tool.ask({ mode: 'extract', locked: placesOf(lock) });
  const tasks = described(answer.tasks as unknown as RepocraftTask[], lock);
  checkTasks(lock, tasks);
  checkEntries(lock, tasks);
  const reference = await packReference(project, release);
  if (verify) await verifyOnGold(project, reference, tasks, tools);
  await storeDataset(tools.blobs, lock, tasks, reference);
  return lock;
}

/** What a model wrote cannot be made again: the lock holds it. */
function described(tasks: readonly RepocraftTask[], lock: DatasetLock): RepocraftTask[] {
  const written = new Map(lock.tasks.map(({ id, description }) => [id, description]));
  return tasks.map((task) => ({ ...task, description: written.get(task.id) ?? task.description }));
}

/** The tasks of a lock come from the release it names, and candidates are graded on the pinned one: they are the same. */
function checkReference(lock: DatasetLock, pin: ReleasePin): void {
  const field = (['name', 'version', 'sha256'] as const).find((name) => lock.reference[name] !== pin[name]);
  if (field === undefined) return;
  const path = pathOf(lock);
  throw new DomainFailure('dataset.hash-mismatch', {
    message: `${path}: reference: "${field}" is "${lock.reference[field]}", in dataset/pins.json "${pin[field]}"`,
    expected: 'a lock of the release that is pinned',
    fix: `bring both back: git checkout -- tasks/repocraft/${path} tasks/repocraft/dataset/pins.json; after another pin on purpose build the dataset: durabench dataset build repocraft --project ${lock.project}`,
  });
}

/** Refuses a dataset whose tasks are not, byte for byte, the locked ones. */
function checkTasks(lock: DatasetLock, tasks: readonly RepocraftTask[]): void {
  const found = new Map(tasks.map((task) => [task.id, taskHash(task)]));
  const wrong = lock.tasks.filter((task) => found.get(task.id) !== task.sha256);
  if (wrong.length === 0) return;
  const first = wrong[0];
  throw new DomainFailure('dataset.hash-mismatch', {
    message: `dataset/${lock.project}.lock.json: ${wrong.length} of ${lock.tasks.length} tasks come out with another hash, first ${first?.id ?? ''}: ${found.get(first?.id ?? '') ?? 'not found'}`,
    expected: `the locked hashes (${first?.sha256 ?? ''})`,
    fix: 'restore tasks/repocraft/dataset, python and shims as committed, or build the dataset anew: "durabench dataset build repocraft"',
  });
}

/**
 * The digest covers ids and hashes; what else a lock says of its tasks is compared with them. Every start of a campaign does
 * so: a stored task has its hash already, since it was read by it, and is not hashed again.
 */
function checkEntries(lock: DatasetLock, tasks: readonly RepocraftTask[]): void {
  const made = new Map(tasks.map((task) => [task.id, lockedEntry(task)]));
  for (const locked of lock.tasks) {
    const task = made.get(locked.id);
    if (task === undefined || isDeepStrictEqual({ ...locked, ...task }, locked)) continue;
    throw otherEntry(lock, locked, task);
  }
}

function otherEntry(lock: DatasetLock, locked: LockedTask, task: Omit<LockedTask, 'sha256'>): DomainFailure {
  const fields = Object.keys(task) as (keyof typeof task)[];
  const field = fields.find((name) => !isDeepStrictEqual(locked[name], task[name])) ?? 'id';
  const path = pathOf(lock);
  return new DomainFailure('dataset.hash-mismatch', {
    message: `${path}: task ${locked.id}: "${field}" is ${JSON.stringify(locked[field])}, in the task itself ${JSON.stringify(task[field])}`,
    expected: 'a lock as it was built: nothing of it is to be edited',
    fix: `bring it back: git checkout -- tasks/repocraft/${path}`,
  });
}

/** Relative to the suite's folder. */
const pathOf = ({ project, version }: DatasetLock): string =>
  lockPath(project, '', typeof version === 'string' ? version : undefined);

async function verifyOnGold(
  project: ProjectSettings,
  reference: Buffer,
  tasks: readonly RepocraftTask[],
  tools: DatasetTools,
): Promise<void> {
  const bench = await createGoldBench(project, packedTar(reference), tools);
  const subjects = tasks.map((task) => ({ key: task.id, task }));
  const findings = await validateOnGold(bench, subjects, (...told) => tools.onProgress(...told));
  const broken = [...findings].filter(([, found]) => found.rule !== null);
  if (broken.length === 0) return;
  throw new DomainFailure('task.broken', {
    message: `${broken.length} of ${tasks.length} tasks do not hold on ${project.pin.name} ${project.pin.version} here: ${broken
      .slice(0, 5)
      .map(([id, found]) => `${id} (${found.rule ?? ''})`)
      .join(', ')}`,
    expected: 'every locked task passes on the reference in the sandbox image',
    fix: `rebuild the image ("durabench images build ${project.image}") and try again on an idle machine`,
  });
}
