import { nearest } from '../../domain/text/nearest.js';
import type { CampaignSpec } from '../../contract/campaign.js';
import type { Problem } from '../../contract/problem.js';
import type { DatasetSelection, TaskSummary } from '../../contract/task.js';
import { UserError } from '../../domain/failure/user-error.js';
import { datasetDigest } from '../../domain/campaign/dataset-digest.js';
import { inTurn } from '../../domain/campaign/in-turn.js';

/** A part of what a campaign file asks, as for a smoke run; a question of its own, with a lock of its own. */
export interface Narrowing {
  /** So many tasks at most, in turn from each group. */
  limit?: number | undefined;
  /** Ids of systems. */
  systems?: readonly string[] | undefined;
  /** Ids of tasks, or unique beginnings of them. */
  tasks?: readonly string[] | undefined;
}

/**
 * The campaign with these systems alone, in the order of the file.
 * @throws UserError for one that it does not have
 */
export function narrowedSystems(spec: CampaignSpec, wanted: readonly string[] | undefined): CampaignSpec {
  if (wanted === undefined) return spec;
  const known = spec.systems.map(({ id }) => id);
  const problems = wanted.filter((id) => !known.includes(id)).map((id) => unknown('system', id, known));
  if (problems.length > 0) throw new UserError('usage', problems);
  const { experiment, ...rest } = spec;
  const systems = spec.systems.filter(({ id }) => wanted.includes(id));
  const isExperiment = experiment !== undefined && wanted.includes(experiment.baseline) && systems.length > 1;
  return { ...rest, systems, ...(isExperiment && { experiment }) };
}

/**
 * The dataset with these tasks alone, in its own order; its label says so, and its digest is that of what is left.
 * @throws UserError for a task that it does not have
 */
export function narrowedTasks(dataset: DatasetSelection, { limit, tasks: wanted }: Narrowing): DatasetSelection {
  const named = wanted === undefined ? dataset.tasks : namedTasks(dataset, wanted);
  const tasks = limit === undefined ? named : inTurn(named, limit);
  if (tasks.length === dataset.tasks.length) return dataset;
  const digest = datasetDigest(tasks);
  return { ...dataset, tasks, digest, label: `${dataset.label}, ${tasks.length} of ${dataset.tasks.length} of them` };
}

function namedTasks({ tasks }: DatasetSelection, wanted: readonly string[]): TaskSummary[] {
  const problems: Problem[] = [];
  const ids = new Set<string>();
  for (const name of wanted) {
    const found = tasks.filter(({ id }) => id === name || id.startsWith(name));
    const exact = found.find(({ id }) => id === name);
    const [one] = exact === undefined ? found : [exact];
    if (one === undefined || name === '')
      problems.push(
        unknown(
          'task',
          name,
          tasks.map(({ id }) => id),
        ),
      );
    else if (exact === undefined && found.length > 1) problems.push(ambiguous(name, found));
    else ids.add(one.id);
  }
  if (problems.length > 0) throw new UserError('usage', problems);
  return tasks.filter(({ id }) => ids.has(id));
}

const MOST_NAMED = 5;

function unknown(what: string, id: string, known: readonly string[]): Problem {
  const meant = nearest(id, known);
  const rest = known.length - MOST_NAMED;
  return {
    message: `the campaign has no ${what} "${id}"`,
    expected: [...known.slice(0, MOST_NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', '),
    ...(meant !== undefined && { fix: `did you mean "${meant}"?` }),
  };
}

const ambiguous = (name: string, found: readonly TaskSummary[]): Problem => ({
  message: `"${name}" is the beginning of ${found.length} tasks`,
  expected: found
    .slice(0, MOST_NAMED)
    .map(({ id }) => id)
    .join(', '),
});
