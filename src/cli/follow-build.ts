import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildWorkflowEnd } from '../adapters/temporal/dataset-workflow.js';
import type { ProjectProgress } from '../contract/dataset-build.js';
import { plainLine } from '../domain/plain-text.js';
import { buildLines } from './build-lines.js';
import type { Builds } from './open-builds.js';
import type { Output } from './output.js';
import type { Session } from './session.js';
import { stackTrouble } from './stack-trouble.js';

const POLL_MS = 500;

/** Watches a run of a dataset build until these projects have ended, whatever else it builds. Survives servers that are away. */
export async function followBuild(
  session: Session,
  builds: Builds,
  watch: { runId: string; projects: readonly string[]; signal: AbortSignal },
): Promise<BuildWorkflowEnd | { ended: 'detached' }> {
  const { output } = session;
  const { projects, signal } = watch;
  let { runId } = watch;
  const lines = createLines(output);
  while (!signal.aborted) {
    const found = await builds.look(runId);
    if (found === null) return { ended: 'terminated', message: 'Temporal does not know it any more' };
    if (found?.isRunning === false) {
      const end = await builds.end(runId);
      const last = end.ended === 'terminated' ? await builds.last() : null;
      if (last === null || last.runId === runId) return end;
      output.say('the build was taken over by a worker of other workflow code: it goes on');
      ({ runId } = last);
      continue;
    }
    const progress = await builds.progress(runId);
    if (progress === undefined) lines.wait(stackTrouble(session) ?? 'no worker answers');
    else {
      const own = progress.filter(({ project }) => projects.includes(project));
      lines.show(own);
      const ends = own.flatMap(({ project, end }) => (end === null ? [] : [[project, end] as const]));
      if (ends.length === projects.length) return { ended: 'done', projects: Object.fromEntries(ends) };
    }
    for (const trouble of found?.troubles ?? [])
      lines.wait(
        trouble
          .split('\n')
          .map((line) => plainLine(line, 400))
          .join('; '),
      );
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined); // an abort only ends it early
  }
  output.settle();
  return { ended: 'detached' };
}

/** Redraws on a terminal; elsewhere a line whenever one changed. What it waits for is said once. */
function createLines(output: Output): { show(projects: readonly ProjectProgress[]): void; wait(why: string): void } {
  const said = new Set<string>();
  const sayOnce = (line: string): void => {
    if (said.has(line)) return;
    said.add(line);
    output.say(line);
  };
  return {
    show(projects) {
      const lines = buildLines(projects);
      if (output.isLive) output.redraw(lines);
      else lines.forEach(sayOnce);
    },
    wait: (why) => sayOnce(`waiting: ${why}`),
  };
}
