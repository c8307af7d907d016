import { readYaml } from '../nodes/read-yaml.js';
import { allScalars, entriesOf } from '../nodes/node.js';
import { matchesGlob } from './glob.js';

/**
 * What `dorny/paths-filter` hands on for the changed files: for each of its filters `true` or `false`, and the list of those
 * that match. Nothing where the filters stand in a file of their own.
 */
export function pathsFilterOutputs(filters: string, changed: string[]): Record<string, string> {
  const { root } = readYaml('filters', filters);
  const matching = entriesOf(root).map(({ key, value }): [string, boolean] => {
    const patterns = allScalars(value).map(({ text }) => text);
    return [key, changed.some((file) => patterns.some((pattern) => matchesPattern(pattern, file)))];
  });
  const names = matching.flatMap(([name, matches]) => (matches ? [name] : []));
  return {
    ...Object.fromEntries(matching.map(([name, matches]) => [name, String(matches)])),
    changes: JSON.stringify(names),
  };
}

function matchesPattern(pattern: string, file: string): boolean {
  return pattern.startsWith('!') ? !matchesGlob(pattern.slice(1), file) : matchesGlob(pattern, file);
}
