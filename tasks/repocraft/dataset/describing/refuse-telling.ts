import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { ProjectSettings } from '../project-settings.js';
import type { RepocraftTask } from '../repocraft-task.js';

/** Words of a description that give the project away. */
export function tellingText(description: string, givingAway: readonly string[]): string[] {
  const words = new Set(description.toLowerCase().match(/[\w-]+/g));
  return givingAway.filter((word) => words.has(word));
}

/**
 * Refuses a dataset in which a description names the project: that would hand a system the answer.
 * @throws DomainFailure `task.broken`
 */
export function refuseTelling(
  tasks: readonly Pick<RepocraftTask, 'id' | 'description'>[],
  {
    project,
    settings,
  }: Pick<ProjectSettings, 'project'> & { settings: Pick<ProjectSettings['settings'], 'givingAway'> },
): void {
  const told = tasks.flatMap(({ id, description }) =>
    tellingText(description, settings.givingAway).map((word) => `${id} ("${word}")`),
  );
  if (told.length === 0) return;
  throw new DomainFailure('task.broken', {
    message: `${told.length} descriptions of ${project} name it: ${told.slice(0, 5).join(', ')}`,
    expected: `descriptions without ${settings.givingAway.join(', ')}`,
    fix: `add what is missing to "replacements" in dataset/projects/${project}.json and build again`,
  });
}
