import type { Output } from './output.js';
import type { ProjectProgress } from '../../contract/dataset-build.js';
import { progressBar } from '../../report/text/number-text.js';
import { timeLeft } from '../../report/text/time-left.js';

/** Where a project of a build stands: `5 steps done; gold, isolated: chunk 3 of 15`. */
function state({ done, running, end }: ProjectProgress): string {
  if (end?.ended === 'built') return `built: ${end.built.tasks} tasks, digest ${end.built.digest.slice(0, 12)}`;
  if (end?.ended === 'failed') return `failed: ${end.failure.type}`;
  return `${done} ${done === 1 ? 'step' : 'steps'} done; ${running.join('; ') || 'waits for its turn'}`;
}

/** Shows where a build stands: redrawn on a terminal, elsewhere a line whenever one changed. */
export function createBuildProgress(output: Output): (projects: readonly ProjectProgress[]) => void {
  const said = new Set<string>();
  const leftOf = createPartClock();
  return (projects) => {
    const width = Math.max(...projects.map(({ project }) => project.length));
    const lines = projects.map((project) => ({
      line: `${project.project.padEnd(width)}  ${state(project)}`,
      bar: partBar(project),
      left: leftOf(project),
    }));
    if (output.isLive) return output.redraw(lines.map(({ line, bar, left }) => line + bar + left));
    for (const { line, left } of lines) {
      // Only a guess changed: that is no news for a log.
      if (said.has(line)) continue;
      said.add(line);
      output.say(line + left);
    }
  };
}

/** Of the part that a project is at, in chunks. */
const partBar = ({ chunks }: ProjectProgress): string =>
  chunks === undefined ? '' : ` ${progressBar(chunks.done, chunks.done + chunks.left)}`;

/**
 * How long the part that a project is at will take, by the pace since it was seen first: how many chunks the next part has is not
 * known before.
 */
function createPartClock(): (project: ProjectProgress) => string {
  const parts = new Map<string, { chunks: number; done: number; at: number }>();
  return ({ project, chunks }) => {
    if (chunks === undefined) {
      parts.delete(project);
      return '';
    }
    const now = { chunks: chunks.done + chunks.left, done: chunks.done, at: Date.now() };
    const known = parts.get(project);
    const first = known?.chunks === now.chunks && known.done <= now.done ? known : now;
    parts.set(project, first);
    const text = timeLeft({ ended: now.done - first.done, seconds: (now.at - first.at) / 1000 }, chunks.left);
    return text === null ? '' : `; ${text} of this part`;
  };
}
