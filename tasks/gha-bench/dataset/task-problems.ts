import type { Problem } from '../../../src/contract/problem.js';
import { rolesOf } from '../semantics/checks/check.js';
import { assertionsOf } from '../runs/scenario.js';
import { DETECTORS } from '../semantics/detectors/detectors.js';
import type { GhaTask } from './task-schema.js';

/** What a schema cannot say of a task: that requirements, checks and mutants belong together. */
export function taskProblems(task: GhaTask): Problem[] {
  const { requirements, features } = task.spec;
  const checks = checkIds(task);
  const used = new Set(requirements.flatMap((each) => each.checks));
  const tripped = new Set(task.mutants.map(({ trips }) => trips));
  const problems = [
    ...repeated(requirements.map(({ id }) => id)).map((id) => `spec.yaml: two requirements are called ${id}`),
    ...repeated(checks).map((id) => `validation: two checks are called ${id}`),
    ...requirements.flatMap(({ id, checks: named }) =>
      named.filter((check) => !checks.includes(check)).map((check) => `requirement ${id}: there is no check ${check}`),
    ),
    ...checks.filter((check) => !used.has(check)).map((check) => `check ${check} belongs to no requirement`),
    ...checks.filter((check) => !tripped.has(check)).map((check) => `check ${check} is tripped by no mutant`),
    ...task.mutants
      .filter(({ layer, trips }) => (layer === 'features' || layer === 'runs') && !checks.includes(trips))
      .map(({ id, trips }) => `mutant ${id}: there is no check ${trips}`),
    ...task.staticChecks
      .filter((check) => check.kind === 'feature' && !features.includes(check.feature))
      .map((check) => `check ${check.id}: the task has no feature ${check.kind === 'feature' ? check.feature : ''}`),
    ...features.filter((feature) => !DETECTORS.has(feature)).map((feature) => `there is no feature ${feature}`),
    ...task.staticChecks.flatMap((check) =>
      rolesOf(check)
        .filter((role) => !(role in task.roles))
        .map((role) => `check ${check.id}: there is no role ${role}`),
    ),
    ...(Object.keys(task.oracle).length === 0 ? ['oracle/ holds no file'] : []),
    ...(Object.keys(task.repo).length === 0 ? ['repo/ holds no file'] : []),
    ...task.spec.files.filter((file) => !(file in task.oracle)).map((file) => `oracle/ lacks ${file} of spec.yaml`),
  ];
  return problems.map((message) => ({
    message: `task ${task.id}: ${message}`,
    fix: 'correct it; docs/gha-bench/tasks.md says what belongs in it',
  }));
}

/** Every check of a task that a requirement may name: detectors, and assertions of scenarios. */
function checkIds({ staticChecks, scenarios }: Pick<GhaTask, 'staticChecks' | 'scenarios'>): string[] {
  return [...staticChecks.map(({ id }) => id), ...assertionsOf(scenarios).map(({ id }) => id)];
}

function repeated(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
