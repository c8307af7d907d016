import { closest } from 'fastest-levenshtein';
import type { Problem } from '../../../src/contract/problem.js';

/** Ids of a campaign file's `dataset.tasks` that its projects do not have; one problem each, with its place in the file. */
export class UnknownTasks extends Error {
  override readonly name = 'UnknownTasks';
  readonly problems: readonly Problem[];

  constructor(ids: readonly string[], known: readonly string[], projects: readonly string[]) {
    const isKnown = new Set(known);
    const problems = ids.flatMap((id, index) => (isKnown.has(id) ? [] : [unknownTask(id, index, { known, projects })]));
    super(problems.map(({ what }) => what).join('; '));
    this.problems = problems;
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
    what: `dataset.tasks[${index}]: there is no task "${id}"`,
    allowed: `ids of ${projects.join(', ')}, as in ${locks}`,
    remedy: known.length === 0 ? 'remove it' : `did you mean "${closest(id, [...known])}"?`,
  };
}
