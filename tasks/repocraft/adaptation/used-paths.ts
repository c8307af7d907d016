import type { RepocraftTask } from '../dataset/repocraft-task.js';

/** Every reference path the test reaches, as written. An import that is not used still has to succeed. */
export function usedPaths(task: Pick<RepocraftTask, 'imports'>): string[] {
  const paths = task.imports.flatMap(({ module, name, uses }) =>
    uses.length > 0 ? uses : [name === null ? module : `${module}.${name}`],
  );
  return [...new Set(paths)];
}

const COMPOSED = /\{([A-Za-z_]\w*)\.__name__\}((?:\.[A-Za-z_]\w*)+)["']/g;

/**
 * Reference paths that the test composes in a text of a module's name, as Django's prelude does for its settings:
 * `f"{_django.__name__}.db.models.AutoField"`.
 */
export function composedPaths(task: Pick<RepocraftTask, 'imports' | 'test_code'>): string[] {
  const modules = new Map(task.imports.flatMap(({ module, name, local }) => (name === null ? [[local, module]] : [])));
  const paths = [...task.test_code.matchAll(COMPOSED)].flatMap(([, local = '', rest = '']) => {
    const module = modules.get(local);
    return module === undefined ? [] : [`${module}${rest}`];
  });
  return [...new Set(paths)];
}
