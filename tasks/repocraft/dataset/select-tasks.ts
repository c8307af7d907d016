import type { JsonObject } from '../../../src/contract/json.js';
import type { DatasetSelection, TaskSummary } from '../../../src/contract/task.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { DatasetLock } from './lock/dataset-lock.js';
import { readLock, tasksDigest } from './lock/dataset-lock.js';
import { BENCHMARK_PROJECTS } from './project-settings.js';
import { UnknownTasks } from './unknown-tasks.js';

/** The `dataset` part of a campaign file. */
export interface TaskChoice {
  /** Of the dataset; absent = the one whose descriptions are made by rule. */
  version?: string;
  /** Empty or absent = those of the benchmark. */
  projects?: string[];
  /** At most so many tasks a project, spread over its categories. */
  limit?: number;
  /** Exactly these ids; `limit` does not apply then. */
  tasks?: string[];
}

/**
 * The tasks a campaign selects, from the committed locks alone. Same selection and seed, same tasks.
 * @throws UnknownTasks for named ones that are not there
 */
export async function selectTasks(selection: JsonObject, seed: number, suiteFolder: string): Promise<DatasetSelection> {
  const choice = selection as TaskChoice;
  const projects = choice.projects?.length ? choice.projects : [...BENCHMARK_PROJECTS];
  const locks = await Promise.all(projects.map((project) => readLock(project, suiteFolder, choice.version)));
  const tasks = choice.tasks ? named(locks, choice.tasks) : locks.flatMap((lock) => spread(lock, choice.limit, seed));
  const parts = locks.map((lock) => label(lock, tasks.filter((task) => task.group === lock.project).length));
  return {
    suite: 'repocraft',
    ...(choice.version === undefined ? {} : { version: choice.version }),
    label: `repocraft@${locks[0]?.version ?? 0} ${parts.join(', ')}`,
    digest: tasksDigest(tasks),
    tasks,
  };
}

function label(lock: DatasetLock, chosen: number): string {
  return chosen === lock.tasks.length
    ? `${lock.project} (${chosen})`
    : `${lock.project} (${chosen} of ${lock.tasks.length})`;
}

function summaries(lock: DatasetLock): TaskSummary[] {
  return lock.tasks.map(({ id, sha256, category }) => ({
    id,
    sha256,
    group: lock.project,
    category,
    candidateScope: lock.project,
  }));
}

function named(locks: readonly DatasetLock[], ids: readonly string[]): TaskSummary[] {
  const all = new Map(locks.flatMap(summaries).map((task) => [task.id, task]));
  if (!ids.every((id) => all.has(id))) {
    throw new UnknownTasks(
      ids,
      [...all.keys()],
      locks.map((lock) => lock.project),
    );
  }
  return [...new Set(ids)].flatMap((id) => all.get(id) ?? []);
}

/** Round-robin over categories, largest first, each in an order drawn from the seed: every prefix of the draw is balanced. */
function spread(lock: DatasetLock, limit: number | undefined, seed: number): TaskSummary[] {
  const tasks = summaries(lock);
  if (limit === undefined || limit >= tasks.length) return tasks;
  const rank = (task: TaskSummary): string => sha256Hex(`${seed} ${task.id}`);
  const shelves = new Map<string, TaskSummary[]>();
  for (const task of [...tasks].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))) {
    shelves.set(task.category ?? '', [...(shelves.get(task.category ?? '') ?? []), task]);
  }
  const queues = [...shelves.entries()].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const chosen = new Set<TaskSummary>();
  for (let round = 0; chosen.size < limit; round += 1) {
    for (const [, queue] of queues) {
      const next = queue[round];
      if (next !== undefined && chosen.size < limit) chosen.add(next);
    }
  }
  return tasks.filter((task) => chosen.has(task));
}
