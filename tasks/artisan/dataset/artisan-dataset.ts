import { join } from 'node:path';
import { z } from 'zod';
import type { Json } from '../../../src/contract/json.js';
import type { TaskSummary } from '../../../src/contract/task.js';
import { datasetDigest } from '../../../src/domain/campaign/dataset-digest.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import type { BuildStep, DatasetTools, SuiteDataset } from '../../../src/suite/dataset.js';
import { readCommitted } from '../../../src/suite-kit/committed-json.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { selectTasks } from '../../../src/suite-kit/selection.js';
import { artisanManifest } from '../suite.js';
import type { ArtisanTask } from './artisan-task.js';
import { forStudies } from './for-studies.js';
import { runFunnel } from './funnel/funnel-step.js';
import { makeTasks } from './make-tasks.js';
import { loadPublished } from './published/load-published.js';
import { readPublishedLock } from './published/published-lock.js';
import { needRefusals, roomHere } from './published/refusals.js';
import { RELEASED_TASKS } from './published/released-tasks.js';
import { readStudy } from './read-study.js';
import { buildImagesOf, datasetSchema, STUDIES } from './selection.js';

/** Raised by hand when the recipe changes meaning. */
const DATASET_VERSION = 1;

/** Ids and hashes of a study's tasks: all that is committed of their content. */
const lockSchema = z.strictObject({
  version: z.int(),
  tasks: z.array(z.strictObject({ id: z.string(), sha256: z.string().length(64) })).min(1),
});

const lockPath = (study: string): string => `dataset/locks/${study}.lock.json`;

/** Artisan-Bench's tasks are made from pinned packages and from what the reference scripts do; the lock says what has to come of it. */
export const artisanDataset: SuiteDataset = {
  projects: STUDIES,
  async fetch({ projects, verify }, tools) {
    const chosen = projects.length === 0 ? STUDIES : projects;
    const studies = await Promise.all(
      chosen.map(async (study) => ({ study, tasks: await lockedTasks(study, tools.suiteFolder) })),
    );
    const isThere = await Promise.all(
      studies.map(({ tasks }) => (verify ? Promise.resolve(false) : isComplete(tasks, tools))),
    );
    const lacking = studies.filter((_, index) => !isThere[index]);
    let ended = 0;
    await forStudies(lacking, tools, async ({ study, tasks }) => {
      await makeLocked(study, tasks, { ...tools, isRemembering: !verify });
      ended += 1;
      const tables = `${tasks.length} ${tasks.length === 1 ? 'table is' : 'tables are'} there`;
      tools.onProgress(`${study}: ${tables}`, { ended, of: lacking.length });
    });
    const locked = studies.flatMap(({ tasks }) => tasks);
    return { tasks: locked.length, digest: datasetDigest(locked) };
  },
  published: loadPublished,
  build: {
    version: DATASET_VERSION,
    projects: STUDIES,
    images: buildImagesOf,
    steps: { funnel: ({ project }, tools) => runFunnel(project, tools), make: makeAndLock },
  },
  async select(given, _seed, suiteFolder) {
    const all = (await Promise.all(STUDIES.map((study) => lockedTasks(study, suiteFolder)))).flat();
    const selection = datasetSchema.parse(given);
    const { tasks: published } = await readPublishedLock(suiteFolder);
    const foreign = (selection.tasks ?? []).filter(
      (id) => RELEASED_TASKS.has(id) || published.some((task) => task.id === id),
    );
    if (foreign.length > 0) throw notRunHere(foreign);
    return selectTasks(artisanManifest, all, selection);
  },
};

/** Tasks of the published set: what a run of this suite has no room for, in the words of their plan. */
function notRunHere(ids: readonly string[]): UserError {
  const room = roomHere(Infinity);
  const named = new Map<string, string[]>();
  for (const id of ids) {
    const needs = RELEASED_TASKS.get(id);
    const reasons = needs === undefined ? [] : needRefusals(needs, room).map(({ message }) => message);
    for (const reason of reasons.length > 0 ? reasons : ['its artifact may need container slots'])
      named.set(reason, [...(named.get(reason) ?? []), id]);
  }
  const why = [...named].map(([reason, of]) => (of.length === ids.length ? reason : `${reason} (${of.join(', ')})`));
  return new UserError('usage', {
    path: ['dataset', 'tasks'],
    message: `${ids.join(', ')}: of the published set: ${why.join('; ')}`,
    expected: 'tasks of this repository: runs of artisan have no container slots, and no network',
    fix: 'leave them out; durabench dataset fetch artisan --published DIR --dry-run says what each of them needs',
  });
}

async function lockedTasks(study: string, suiteFolder: string): Promise<TaskSummary[]> {
  const path = join(suiteFolder, lockPath(study));
  const { tasks } = await readCommitted({ path, noun: 'dataset lock', schema: lockSchema });
  return tasks.map(({ id, sha256 }) => ({ id, sha256, group: study, category: id, candidateScope: null }));
}

/** Whether every blob of these tasks is there. */
async function isComplete(tasks: readonly TaskSummary[], { blobs }: DatasetTools): Promise<boolean> {
  for (const { sha256 } of tasks) {
    if (!(await blobs.has(sha256))) return false;
    const { artifacts, twins } = await readJsonBlob<ArtisanTask>(blobs, sha256);
    const needed = [...Object.values(artifacts), ...twins.map(({ artifact }) => artifact)];
    for (const artifact of needed) if (artifact !== null && !(await blobs.has(artifact.sha256))) return false;
  }
  return true;
}

async function makeLocked(
  study: string,
  locked: readonly TaskSummary[],
  tools: Parameters<typeof makeTasks>[1],
): Promise<void> {
  const made = await makeTasks(await sourceOf(study, tools), tools);
  const other = locked.filter(({ id, sha256 }) => made.find((task) => task.id === id)?.sha256 !== sha256);
  if (other.length === 0) return;
  throw new DomainFailure('dataset.hash-mismatch', {
    message: `artisan: what was made of ${other.map(({ id }) => id).join(', ')} is not what the lock says`,
    expected: 'the tables that the lock was made with: the same package, recipe, image and reference script',
    fix: `git checkout -- tasks/artisan/dataset; after a change on purpose: durabench dataset build artisan --project ${study}`,
  });
}

async function makeAndLock({ project }: Parameters<BuildStep>[0], tools: DatasetTools): Promise<Json> {
  const tasks = await makeTasks(await sourceOf(project, tools), { ...tools, isRemembering: true });
  const lock = { version: DATASET_VERSION, tasks: tasks.map(({ id, sha256 }) => ({ id, sha256 })) };
  const path = lockPath(project);
  const text = `${JSON.stringify(lock, null, 2)}\n`;
  const { sha256 } = await tools.blobs.put(text, { name: path, mediaType: 'application/json' });
  const leftOut = await tools.blobs.put('', { name: `${project}-left-out.txt`, mediaType: 'text/plain' });
  return { tasks: tasks.length, digest: datasetDigest(tasks), files: [{ path, sha256 }], leftOut: leftOut.sha256 };
}

const sourceOf = (study: string, { suiteFolder }: DatasetTools): ReturnType<typeof readStudy> =>
  readStudy(join(suiteFolder, 'dataset', 'tasks', study), study);
