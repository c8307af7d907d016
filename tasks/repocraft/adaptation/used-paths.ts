import type { RepocraftTask } from '../dataset/repocraft-task.js';

/** Every reference path the test reaches, as written. An import that is not used still has to succeed. */
export function usedPaths(task: Pick<RepocraftTask, 'imports'>): string[] {
  return [...new Set(task.imports.flatMap(pathsOf))];
}

/**
 * Of these the paths that nothing but the set-up of ours reaches, which a file begins with: a library that needs no such set-up
 * has none of them. What it imports, and nothing else, is bound to names with an underscore.
 */
export function setUpPaths(task: Pick<RepocraftTask, 'imports'>): Set<string> {
  const asked = new Set(task.imports.filter(({ local }) => !local.startsWith('_')).flatMap(pathsOf));
  return new Set(usedPaths(task).filter((path) => !asked.has(path)));
}

const pathsOf = ({ module, name, uses }: RepocraftTask['imports'][number]): string[] =>
  uses.length > 0 ? uses : [name === null ? module : `${module}.${name}`];

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
