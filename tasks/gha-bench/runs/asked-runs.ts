import { PROMPT_VARIANTS, type GhaTask } from '../dataset/task-schema.js';
import { assertionsOf, type Scenario } from './scenario.js';

/** Checks of the requirements that a prompt states; nothing else is graded. */
export function askedChecks({ spec }: Pick<GhaTask, 'spec'>, stated: readonly string[]): string[] {
  return spec.requirements.filter(({ id }) => stated.includes(id)).flatMap(({ checks }) => checks);
}

/** Checks of the requirements that every prompt states. */
export function coreChecks({ spec }: Pick<GhaTask, 'spec'>): string[] {
  const inAll = spec.requirements.filter(({ stated_in: variants }) =>
    PROMPT_VARIANTS.every((variant) => variants.includes(variant)),
  );
  return inAll.flatMap(({ checks }) => checks);
}

/** Scenarios with an assertion that is graded. */
export function scenariosOf(task: Pick<GhaTask, 'spec' | 'scenarios'>, stated: readonly string[]): Scenario[] {
  const asked = askedChecks(task, stated);
  return task.scenarios.filter((scenario) => assertionsOf([scenario]).some(({ id }) => asked.includes(id)));
}
