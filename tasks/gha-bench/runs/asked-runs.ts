import type { GhaTask } from '../dataset/task-schema.js';
import { assertionsOf, type Scenario } from './scenario.js';

/** Checks of the requirements that a prompt states; nothing else is graded. */
export function askedChecks({ spec }: Pick<GhaTask, 'spec'>, stated: readonly string[]): string[] {
  return spec.requirements.filter(({ id }) => stated.includes(id)).flatMap(({ checks }) => checks);
}

/** Scenarios with an assertion that is graded. */
export function scenariosOf(task: Pick<GhaTask, 'spec' | 'scenarios'>, stated: readonly string[]): Scenario[] {
  const asked = askedChecks(task, stated);
  return task.scenarios.filter((scenario) => assertionsOf([scenario]).some(({ id }) => asked.includes(id)));
}
