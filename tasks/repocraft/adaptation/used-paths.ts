import type { RepocraftTask } from '../dataset/repocraft-task.js';

/** Every reference path the test reaches, as written. An import that is not used still has to succeed. */
export function usedPaths(task: Pick<RepocraftTask, 'imports'>): string[] {
  const paths = task.imports.flatMap(({ module, name, uses }) =>
    uses.length > 0 ? uses : [name === null ? module : `${module}.${name}`],
  );
  return [...new Set(paths)];
}
