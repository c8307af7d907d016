import type { Output } from './output.js';
import type { ProjectProgress } from '../../contract/dataset-build.js';

/** Where each project of a build stands: `pandas   5 steps done; gold, isolated: chunk 3 of 15`. */
export function buildLines(projects: readonly ProjectProgress[]): string[] {
  const width = Math.max(...projects.map(({ project }) => project.length));
  return projects.map((project) => `${project.project.padEnd(width)}  ${state(project)}`);
}

function state({ done, running, end }: ProjectProgress): string {
  if (end?.ended === 'built') return `built: ${end.built.tasks} tasks, digest ${end.built.digest.slice(0, 12)}`;
  if (end?.ended === 'failed') return `failed: ${end.failure.type}`;
  return `${done} ${done === 1 ? 'step' : 'steps'} done; ${running.join('; ') || 'waits for its turn'}`;
}

/** Shows where a build stands: redrawn on a terminal, elsewhere a line whenever one changed. */
export function createBuildProgress(output: Output): (projects: readonly ProjectProgress[]) => void {
  const said = new Set<string>();
  return (projects) => {
    const lines = buildLines(projects);
    if (output.isLive) return output.redraw(lines);
    for (const line of lines) {
      if (said.has(line)) continue;
      said.add(line);
      output.say(line);
    }
  };
}
