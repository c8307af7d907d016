import { closest } from 'fastest-levenshtein';
import type { Problem } from '../../../src/contract/problem.js';
import { UserError } from '../../../src/domain/failure/user-error.js';

/** Ids of a campaign file's `dataset.tasks` that its projects do not have; one problem each, with its place in the file. */
export class UnknownTasks extends UserError {
  constructor(ids: readonly string[], known: readonly string[], projects: readonly string[]) {
    const isKnown = new Set(known);
    super(
      'usage',
      ids.flatMap((id, index) => (isKnown.has(id) ? [] : [unknownTask(id, index, { known, projects })])),
    );
  }
}

function unknownTask(
  id: string,
  index: number,
  among: { known: readonly string[]; projects: readonly string[] },
): Problem {
  const { known, projects } = among;
  const locks = projects.map((project) => `tasks/repocraft/dataset/${project}.lock.json`).join(', ');
  return {
    path: ['dataset', 'tasks', index],
    message: `there is no task "${id}"`,
    expected: `ids of ${projects.join(', ')}, as in ${locks}`,
    fix: known.length === 0 ? 'remove it' : `did you mean "${closest(id, [...known])}"?`,
  };
}
