import { tasksDigest, type DatasetLock, type LockedTask } from './dataset-lock.js';
import type { Drafts, Remainder } from '../describing/drafts.js';
import type { ProjectSettings } from '../project-settings.js';
import type { RepocraftTask } from '../repocraft-task.js';
import { taskHash } from '../task-blobs.js';

/** The lock of these tasks, and what became of all the others. */
export function lockOf(
  project: ProjectSettings,
  made: Pick<DatasetLock, 'version' | 'recipe'>,
  tasks: readonly RepocraftTask[],
  { plan, survivors, dropped }: { plan: Drafts } & Pick<Remainder, 'survivors' | 'dropped'>,
): DatasetLock {
  const locked = tasks.map((task) => lockedTask(lockedEntry(task), taskHash(task)));
  const { name, version, sha256 } = project.pin;
  return {
    suite: 'repocraft',
    version: made.version,
    project: project.project,
    reference: { name, version, sha256 },
    recipe: made.recipe,
    counts: {
      harvested: plan.harvested,
      dropped,
      notSampled: plan.unsampled + functionsOf(survivors) - functionsOf(tasks),
      functions: functionsOf(tasks),
      tasks: tasks.length,
    },
    tasks: locked,
    digest: tasksDigest(locked),
  };
}

/** What a lock says of a task beside its hash, all but a description that a model wrote. */
export function lockedEntry(task: RepocraftTask): Omit<LockedTask, 'sha256'> {
  const { id, category, difficulty, source, functions } = task;
  return { id, category, difficulty, file: source.file, lines: source.lines, functions };
}

const lockedTask = ({ id, ...entry }: Omit<LockedTask, 'sha256'>, sha256: string): LockedTask => ({
  id,
  sha256,
  ...entry,
});

function functionsOf(tasks: readonly { functions: string[] }[]): number {
  return tasks.reduce((sum, task) => sum + task.functions.length, 0);
}
