import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildWorkflowEnd } from '../../adapters/temporal/dataset-workflow.js';
import type { ProjectProgress } from '../../contract/dataset-build.js';
import { plainLine } from '../../domain/text/plain-text.js';
import type { Builds } from './open-builds.js';
import type { Context } from '../context.js';
import { stackProblem } from '../stack-problem.js';

const POLL_MS = 500;

/** Watches a run of a dataset build until these projects have ended, whatever else it builds. Survives servers that are unavailable. */
export async function followBuild(
  context: Context,
  builds: Builds,
  watch: {
    runId: string;
    projects: readonly string[];
    signal: AbortSignal;
    onProgress: (projects: readonly ProjectProgress[]) => void;
  },
): Promise<BuildWorkflowEnd | { ended: 'detached' }> {
  const { projects, signal, onProgress } = watch;
  let { runId } = watch;
  const wait = waitingOnce(context);
  while (!signal.aborted) {
    const found = await builds.look(runId);
    if (found === null) return { ended: 'terminated', message: 'Temporal does not know it any more' };
    if (found?.isRunning === false) {
      const end = await builds.end(runId);
      const last = end.ended === 'terminated' ? await builds.last() : null;
      if (last === null || last.runId === runId) return end;
      context.notify({
        type: 'notice',
        message: 'the build was taken over by a worker of other workflow code: it goes on',
      });
      ({ runId } = last);
      continue;
    }
    const progress = await builds.progress(runId);
    if (progress === undefined) wait(stackProblem(context) ?? 'no worker answers');
    else {
      const own = progress.filter(({ project }) => projects.includes(project));
      onProgress(own);
      const ends = own.flatMap(({ project, end }) => (end === null ? [] : [[project, end] as const]));
      if (ends.length === projects.length) return { ended: 'done', projects: Object.fromEntries(ends) };
    }
    for (const problem of found?.problems ?? [])
      wait(
        problem
          .split('\n')
          .map((line) => plainLine(line, 400))
          .join('; '),
      );
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined); // an abort only ends it early
  }
  return { ended: 'detached' };
}

/** What a build waits for is told once. */
function waitingOnce(context: Context): (why: string) => void {
  const said = new Set<string>();
  return (why) => {
    if (said.has(why)) return;
    said.add(why);
    context.notify({ type: 'waiting', message: `waiting: ${why}` });
  };
}
