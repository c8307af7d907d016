import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import type { TaskSummary } from '../../../src/contract/task.js';
import { datasetDigest } from '../../../src/domain/campaign/dataset-digest.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { SuiteDataset } from '../../../src/suite/dataset.js';
import { selectTasks } from '../../../src/suite-kit/selection.js';
import { ghaBenchManifest } from '../suite.js';
import { readTask } from './read-task.js';
import { datasetSchema, TIERS } from './selection.js';
import type { GhaTask } from './task-schema.js';

/** GHA-Bench's tasks are authored in this folder: fetching them only puts them into the blob store. */
export const ghaDataset: SuiteDataset = {
  projects: TIERS,
  async fetch({ projects }, { blobs, suiteFolder }) {
    const tasks = await authoredTasks(suiteFolder);
    const chosen = tasks.filter((task) => projects.length === 0 || projects.includes(tierOf(task)));
    for (const task of chosen)
      await blobs.put(taskText(task), { name: `${task.id}.json`, mediaType: 'application/json' });
    return { tasks: chosen.length, digest: datasetDigest(chosen.map(summaryOf)) };
  },
  async select(given, _seed, suiteFolder) {
    const tasks = (await authoredTasks(suiteFolder)).map(summaryOf);
    const byTier = TIERS.flatMap((tier) => tasks.filter(({ group }) => group === tier));
    return selectTasks(ghaBenchManifest, byTier, datasetSchema.parse(given));
  },
};

/** Every task of the folder, by id. @throws UserError with everything that is wrong with them */
export async function authoredTasks(suiteFolder: string): Promise<GhaTask[]> {
  const folder = join(suiteFolder, 'dataset', 'tasks');
  const ids = (await readdir(folder)).sort();
  const read = await Promise.allSettled(ids.map((id) => readTask(join(folder, id), id)));
  const problems = read.flatMap((each) => (each.status === 'rejected' ? problemsOf(each.reason) : []));
  if (problems.length > 0) throw new UserError('environment', problems);
  return read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

function problemsOf(reason: unknown): UserError['problems'] {
  if (reason instanceof UserError) return reason.problems;
  throw reason;
}

/** The text a task's hash is taken of: RFC 8785 canonical JSON. */
function taskText(task: GhaTask): string {
  const text = canonicalize(task);
  if (text === undefined) throw new TypeError(`task ${task.id} is not JSON`);
  return text;
}

function summaryOf(task: GhaTask): TaskSummary {
  const { id, metadata } = task;
  const sha256 = sha256Hex(taskText(task));
  return { id, sha256, group: tierOf(task), category: metadata.family, candidateScope: null };
}

const tierOf = ({ metadata }: GhaTask): string => `tier-${metadata.tier}`;
