import { z } from 'zod';
import type { SuiteManifest } from '../contract/suite.js';
import type { DatasetSelection, TaskSummary } from '../contract/task.js';
import { datasetDigest } from '../domain/campaign/dataset-digest.js';
import { UserError } from '../domain/failure/user-error.js';

/** A task is graded once a repeat, however often it is named. */
const isDistinct = (words: readonly string[]): boolean => new Set(words).size === words.length;

const distinct = <Item extends z.ZodType<string>>(item: Item) =>
  z.array(item).min(1).refine(isDistinct, { message: 'names one twice' });

/** `dataset` of a campaign, of a suite whose tasks stand in groups: some groups, so many of each, or tasks by id. @param noun what a group is called; @param nouns several */
export const selectionSchema = (groups: readonly string[], noun: string, nouns: string) =>
  z.strictObject({
    projects: distinct(z.enum(groups as [string, ...string[]]))
      .default([...groups])
      .describe(`a list of ${nouns}, each once, out of ${groups.join(', ')}`),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(`a whole number, 1 or more: tasks a ${noun}, by id; leave it out for all`),
    tasks: distinct(z.string()).optional().describe('a list of task ids, each once; leave it out for all'),
  });

/** What `dataset` of a campaign says. */
export type Selection = z.infer<ReturnType<typeof selectionSchema>>;

/**
 * The tasks of a suite that a campaign selects, in the order they are given in: `limit` takes the first of each group.
 * @throws UserError `usage` for ids that are not there
 */
export function selectTasks(
  { id: suite, version }: SuiteManifest,
  all: readonly TaskSummary[],
  { projects, tasks: named, limit }: Selection,
): DatasetSelection {
  const unknown = (named ?? []).filter((id) => !all.some((task) => task.id === id));
  if (unknown.length > 0)
    throw new UserError('usage', {
      path: ['dataset', 'tasks'],
      message: `${suite} has no task ${unknown.join(', ')}`,
      expected: `ids out of ${all.map(({ id }) => id).join(', ')}`,
      fix: 'correct them, or leave `tasks` out for all',
    });
  const chosen = all.filter(({ id, group }) => projects.includes(group) && (named?.includes(id) ?? true));
  const isWithin = ({ group }: TaskSummary, place: number): boolean =>
    limit === undefined || chosen.slice(0, place).filter((other) => other.group === group).length < limit;
  const tasks = chosen.filter(isWithin);
  const label = `${suite}@${version} (${tasks.length} of ${all.length} tasks)`;
  return { suite, label, digest: datasetDigest(tasks), tasks };
}
