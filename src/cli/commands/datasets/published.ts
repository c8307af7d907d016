import { loadPublishedSet, type LoadedSet, type PublishedRequest } from '../../../client/datasets/published-set.js';
import { plainTable } from '../../../report/result-table.js';
import type { Suite } from '../../../suite/suite.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Session } from '../../session.js';

/** `durabench dataset fetch SUITE --published DIR`: which tasks of a published benchmark can be run here, and why not the others. */
export async function showPublished(session: Session, request: PublishedRequest & { suite: Suite }): Promise<ExitCode> {
  const { output } = session;
  const set = await loadPublishedSet(session, request);
  const { tasks, notes, digest, paths } = set;
  const suite = request.suite.manifest.id;
  if (output.flags.json) output.json('published', { suite, tasks, notes, digest, lock_paths: paths });
  else for (const line of lines(set, output.width)) output.data(line);
  return tasks.some(({ state }) => state === 'unavailable') ? EXIT.environment : EXIT.ok;
}

function lines({ tasks, notes, paths }: LoadedSet, width: number): string[] {
  const count = (state: string): number => tasks.filter((task) => task.state === state).length;
  const rows = tasks.map(({ id, project, state, reasons }) => [
    ...[id, project, state],
    reasons.map(({ code }) => code).join(', '),
  ]);
  const reasons = tasks.flatMap((task) => task.reasons);
  const meanings = [...new Set(reasons.map(({ code, message }) => `${code}: ${message}`))].sort();
  return [
    plainTable(['task', 'project', 'state', 'why'], rows, [], { width, ranks: [0, 1, 0, 0] }),
    '',
    ...meanings,
    ...(meanings.length > 0 ? [''] : []),
    ...notes,
    `${tasks.length} tasks: ${count('planned')} planned, ${count('refused')} refused, ${count('unavailable')} unavailable`,
    ...paths.map((path) => `lock: ${path}`),
  ];
}
