import type { BuildCall } from '../../../../src/contract/dataset-build.js';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { BuildStep, DatasetTools } from '../../../../src/suite/dataset.js';
import { lockPath, lockText, readLock, tasksDigest, type DatasetLock, type LockedTask } from '../lock/dataset-lock.js';
import { describeTask, type DescribingTools, type Description } from './describe-task.js';
import { fetchDataset } from '../fetch-dataset.js';
import { DESCRIBED_CHUNK, type DescribeInput, type LockedTasks } from '../plan.js';
import { readProjectSettings, type ProjectSettings } from '../project-settings.js';
import type { RepocraftTask } from '../repocraft-task.js';
import { lockedTasks, referencePackage, storeDataset, taskHash } from '../task-blobs.js';

/** The steps that the plan of a described version (`plan.ts`) calls. */
export const describingSteps: Readonly<Record<string, BuildStep>> = {
  fetch: fetchTasks,
  describe: describeChunk,
  'lock-described': lockDescribed,
};

/** Id of the version of a dataset that this model describes: `4-gpt-4o-mini`. */
export function describedVersion(version: number, model: string): string {
  const plain = model.toLowerCase().replace(/[^a-z0-9._-]+/g, '-');
  return `${version}-${plain}`.slice(0, 40).replace(/[^a-z0-9]+$/, '');
}

type StepCall = Pick<BuildCall, 'project' | 'input'>;

async function fetchTasks({ project }: StepCall, tools: DatasetTools): Promise<LockedTasks> {
  const { tasks, digest } = await fetchDataset(project, { verify: false }, tools);
  return { tasks: tasks.length, digest };
}

async function describeChunk({ project: name, input }: StepCall, tools: DatasetTools): ReturnType<BuildStep> {
  const { chunk, ...locked } = input as DescribeInput;
  const { lock, project, asking } = await openWork(name, locked, tools);
  const start = chunk * DESCRIBED_CHUNK;
  const tasks = await lockedTasks(tools.blobs, { ...lock, tasks: lock.tasks.slice(start, start + DESCRIBED_CHUNK) });
  const found: Description[] = [];
  for (const task of tasks) {
    tools.signal.throwIfAborted();
    found.push(await describeTask(task, project.settings.givingAway, { ...tools, asking }));
  }
  return { byModel: found.filter(({ byRule }) => byRule === null).length };
}

/** Every description is known by now. */
async function lockDescribed({ project: name, input }: StepCall, tools: DatasetTools): ReturnType<BuildStep> {
  const { lock: base, project, asking } = await openWork(name, input as LockedTasks, tools);
  const pairs: Described[] = [];
  for (const task of await lockedTasks(tools.blobs, base)) {
    const description = await describeTask(task, project.settings.givingAway, { ...tools, asking });
    pairs.push({ task: { ...task, description: description.text }, description });
  }
  const lock = lockOf(base, pairs, asking.model);
  const tasks = pairs.map(({ task }) => task);
  await storeDataset(tools.blobs, lock, tasks, await referencePackage(tools.blobs, project));
  const path = lockPath(name, '', String(lock.version));
  const { sha256 } = await tools.blobs.put(lockText(lock), { name: path, mediaType: 'application/json' });
  const byRule = pairs.flatMap(({ task, description }) =>
    description.byRule === null ? [] : [`${task.id}: ${description.byRule}`],
  );
  const label = { name: `${name}-by-rule.txt`, mediaType: 'text/plain' };
  const reasons = await tools.blobs.put(byRule.join('\n'), label);
  return { tasks: tasks.length, digest: lock.digest, files: [{ path, sha256 }], leftOut: reasons.sha256 };
}

/** A task with its new description, and where that comes from. */
interface Described {
  task: RepocraftTask;
  description: Description;
}

/** The base's lock with other descriptions, and so with other hashes. */
function lockOf(base: DatasetLock, pairs: readonly Described[], model: string): DatasetLock {
  const tasks = base.tasks.map((locked, index): LockedTask => {
    const { task, description } = pairs[index]!;
    const own = description.byRule === null ? { description: description.text } : {};
    return { ...locked, sha256: taskHash(task), ...own };
  });
  const byModel = tasks.filter(({ description }) => description !== undefined).length;
  const prompt = pairs[0]?.description.prompt ?? '';
  const descriptions = { model, prompt, byModel, byRule: tasks.length - byModel };
  const version = describedVersion(Number(base.version), model);
  return { ...base, version, descriptions, tasks, digest: tasksDigest(tasks) };
}

/** What the steps after the fetch work on. @throws DomainFailure where the tasks are not those that were fetched */
async function openWork(
  name: string,
  { digest }: LockedTasks,
  { suiteFolder, asking }: DatasetTools,
): Promise<{ lock: DatasetLock; project: ProjectSettings; asking: DescribingTools['asking'] }> {
  if (asking === undefined) throw new DomainFailure('harness.bug', 'tasks are described without a model');
  const lock = await readLock(name, suiteFolder);
  if (lock.digest === digest) return { lock, project: await readProjectSettings(name, suiteFolder), asking };
  throw new DomainFailure('dataset.hash-mismatch', {
    message: `the lock of ${name} changed while its tasks were described`,
    expected: 'a lock that stays as it was when the build began',
    fix: `durabench dataset build repocraft --project ${name} --descriptions MODEL (what is described is not described again)`,
  });
}
