import type { BuildRequest } from './build-dataset.js';

/** The command that starts a build, comes back to it or ends it, to be typed; all its projects where none are given. */
export function buildCommand(
  action: 'build' | 'cancel',
  { suite, projects = [], describing }: Pick<BuildRequest, 'suite' | 'describing'> & { projects?: readonly string[] },
): string {
  const chosen = projects.length === 0 ? '' : ` --project ${projects.join(',')}`;
  return `durabench dataset ${action} ${suite.manifest.id}${chosen}${describing === null ? '' : ` ${describing.words}`}`;
}
