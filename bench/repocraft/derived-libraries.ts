/**
 * What deriving a labelled library costs, and whether it is right: seconds for each kind, what it changed, and what a
 * sample of the project's tasks does on it by plain pytest, their tests rewritten by what rewrote the library. Renamed and
 * moved libraries are as good as the reference: every task that does not pass on one is `unsound`, and is listed with its reason.
 * Of the others `where` tells the three places in which most tests fail: one that fails nearly all was altered in vain.
 *
 *   npx tsx bench/repocraft/derived-libraries.ts --state .durabench [--projects requests,sympy] [--kinds renamed,moved] [--tasks 10] [--seed 1]
 *
 * Needs the images and the fetched tasks of the projects (`durabench dataset fetch repocraft`) in that state folder.
 */
import { parseArgs } from 'node:util';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { BENCHMARK_PROJECTS, readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import { selectTasks } from '../../tasks/repocraft/dataset/select-tasks.js';
import { lockedTasks } from '../../tasks/repocraft/dataset/task-blobs.js';
import { deriveLibrary } from '../../tasks/repocraft/generators/derived/derive-library.js';
import { deriveSettings, MOVABLE_PROJECTS } from '../../tasks/repocraft/generators/derived/derive-settings.js';
import { expectations } from '../../tasks/repocraft/generators/derived/expectations.js';
import { createRepocraftTools } from './repocraft-tools.js';

const { values } = parseArgs({
  options: {
    state: { type: 'string', default: '.durabench' },
    projects: { type: 'string', default: BENCHMARK_PROJECTS.join(',') },
    kinds: { type: 'string', default: 'renamed,moved,partial-30,mutated,stubbed,decoys' },
    tasks: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
});
const [limit, seed] = [Number(values.tasks), Number(values.seed)];
const context = createRepocraftTools({ state: values.state, owner: 'derived-libraries' });
const { blobs, sandbox, suiteFolder } = context;
try {
  for (const project of values.projects.split(','))
    for (const kind of values.kinds.split(','))
      if (kind !== 'moved' || MOVABLE_PROJECTS.includes(project))
        console.log(JSON.stringify(await measured(project, kind)));
} finally {
  await sandbox.close();
}

async function measured(project: string, kind: string): Promise<object> {
  const own = await readProjectSettings(project, suiteFolder);
  const tasks = await lockedTasks(blobs, await readLock(project, suiteFolder));
  const chosen = new Set(
    (await selectTasks({ projects: [project], limit }, seed, suiteFolder)).tasks.map(({ id }) => id),
  );
  const settings = deriveSettings({ options: { derive: { kind, seed } } });
  const started = performance.now();
  const library = await deriveLibrary(context, own, { settings, tasks });
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const sample = tasks.filter(({ id }) => chosen.has(id));
  const expected = await expectations(context, own, { library, kind: settings.kind, tasks: sample });
  const all = Object.entries(expected);
  const count = (word: string): number => all.filter(([, one]) => one.expected === word).length;
  const { modules, symbols, deleted } = library.names;
  return {
    ...{ project, kind, deriveSeconds: seconds, modules: Object.keys(modules).length },
    ...{ symbols: Object.keys(symbols).length, altered: library.altered.length, deleted: deleted.length },
    ...{ digest: library.candidate.sha256.slice(0, 16), note: library.note },
    ...{ passed: count('passed'), failed: count('failed'), unsound: count('unsound') },
    where: placesOf(all.flatMap(([, one]) => (one.expected === 'failed' ? [one.reason] : []))),
    reasons: Object.fromEntries(all.flatMap(([id, one]) => (one.expected === 'unsound' ? [[id, one.reason]] : []))),
  };
}

/** The last lines of the most frequent reasons, with how many end so. */
function placesOf(reasons: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const reason of reasons) {
    const line = reason.trim().split('\n').at(-1) ?? '';
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a).slice(0, 3));
}
