import type { BuildRequest } from './build-dataset.js';

type CommandParts = Pick<BuildRequest, 'suite' | 'describing'> & Partial<Pick<BuildRequest, 'projects' | 'newSample'>>;

/** The command that starts a build, comes back to it or ends it, to be typed; all its projects where none are given. */
export function buildCommand(
  action: 'build' | 'cancel',
  { suite, projects = [], newSample = false, describing }: CommandParts,
): string {
  const chosen = projects.length === 0 ? '' : ` --project ${projects.join(',')}`;
  const sample = newSample ? ' --new-sample' : '';
  const words = describing === null ? '' : ` ${describing.words}`;
  return `durabench dataset ${action} ${suite.manifest.id}${chosen}${sample}${words}`;
}
