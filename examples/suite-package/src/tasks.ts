import { join } from 'node:path';
import { DomainFailure, jsonHash, readCommitted, type StageContext, type SuiteDataset } from 'durabench/suite';
import { z } from 'zod';
import { manifest } from './manifest.js';

const taskSchema = z.strictObject({
  id: z.string(),
  group: z.string(),
  /** What the model is told. */
  description: z.string(),
  /** Two texts it is shown. */
  examples: z.strictObject({ match: z.string(), reject: z.string() }),
  /** What its pattern must match as a whole, and what not. The model does not see them. */
  match: z.array(z.string()).min(1),
  reject: z.array(z.string()).min(1),
  /** A pattern that is right. */
  reference: z.string(),
});

/** One regular expression to write. */
export type RegexTask = z.infer<typeof taskSchema>;

/** `dataset:` of a campaign file. */
export const selectionSchema = z.strictObject({
  /** Groups to take; all where left out. */
  groups: z.array(z.enum(['dates', 'numbers', 'web', 'words'])).optional(),
  /** At most so many tasks. */
  limit: z.int().min(1).optional(),
});

/** All tasks, in the order of the file. */
export function readTasks(suiteFolder: string): Promise<RegexTask[]> {
  const path = join(suiteFolder, 'dataset', 'tasks.json');
  return readCommitted({ path, noun: 'dataset', schema: z.array(taskSchema) });
}

/** The tasks lie in this package, so there is nothing to fetch. */
export const dataset: SuiteDataset = {
  projects: [],
  async fetch(_options, { suiteFolder }) {
    const { tasks, digest } = await this.select({}, 0, suiteFolder);
    return { tasks: tasks.length, digest };
  },
  async select(given, _seed, suiteFolder) {
    const { groups, limit } = selectionSchema.parse(given);
    const chosen = (await readTasks(suiteFolder))
      .filter(({ group }) => groups === undefined || groups.some((each) => each === group))
      .slice(0, limit);
    const tasks = chosen.map((task) => {
      return { id: task.id, sha256: jsonHash(task), group: task.group, category: null, candidateScope: null };
    });
    const digest = jsonHash(tasks.map(({ id, sha256 }) => [id, sha256]).sort());
    return { suite: manifest.id, label: `regex@${manifest.version} (${tasks.length} tasks)`, digest, tasks };
  },
};

/**
 * The task of a trial, as the campaign was planned with it.
 * @throws DomainFailure where this package does not have it, or has another one under its id
 */
export async function pinnedTask({ task: pinned, suiteFolder }: StageContext): Promise<RegexTask> {
  const task = (await readTasks(suiteFolder)).find(({ id }) => id === pinned?.id);
  if (task === undefined) throw new DomainFailure('dataset.missing', `there is no task ${pinned?.id}`, { final: true });
  if (jsonHash(task) === pinned?.sha256) return task;
  throw new DomainFailure('dataset.hash-mismatch', `the task ${task.id} is not the one the campaign was planned with`);
}
