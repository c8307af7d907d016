/**
 * Whether a library that is not the reference, and has little of it, passes what it implements and nothing else: the partial
 * libraries of `tests/fixtures/repocraft/partial-libraries`, written by us in other modules and another structure. Each task
 * of the project is bound to the library (the subject to what `expected.json` names, else by name alone), adapted by rule,
 * and run where it could be.
 *
 *   durabench dataset fetch repocraft --project django,statsmodels && npx tsx bench/repocraft/partial-libraries.ts [--project NAMES] [--state FOLDER]
 *
 * Exits 1 where a library misses one it implements, or passes another.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProcessMemory } from '../../src/adapters/memory/process-memory.js';
import { packFiles } from '../../src/suite-kit/packed-files.js';
import { createBinder } from '../../tasks/repocraft/adaptation/bind.js';
import { renameTest } from '../../tasks/repocraft/adaptation/rename-test.js';
import { readIndex, type CandidateIndex } from '../../tasks/repocraft/candidate/candidate-index.js';
import { parseCandidate } from '../../tasks/repocraft/candidate/parse-candidate.js';
import { referenceIndex } from '../../tasks/repocraft/candidate/reference-candidate.js';
import { createGoldBench } from '../../tasks/repocraft/dataset/gold-bench.js';
import { runAlone } from '../../tasks/repocraft/dataset/gold-validation.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { lockedTasks } from '../../tasks/repocraft/dataset/task-blobs.js';
import { pythonFolder } from '../../tasks/repocraft/python-folder.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';
import { createRepocraftTools } from './repocraft-tools.js';

const LIBRARIES = join(PACKAGE_ROOT, 'tests/fixtures/repocraft/partial-libraries');
/** Project → its library, and of each task it implements the symbol that is its subject. */
type Expected = Record<string, { library: string; passes: Record<string, string> }>;

const { values } = parseArgs({
  options: {
    project: { type: 'string', default: 'django,statsmodels' },
    state: { type: 'string', default: '.durabench' },
  },
});
const expected = JSON.parse(await readFile(join(LIBRARIES, 'expected.json'), 'utf8')) as Expected;
const tools = createRepocraftTools({ state: values.state, owner: 'partial-libraries' });
const context = { ...tools, memory: createProcessMemory() };
console.log('| project | tasks | implemented | passed | others | cannot be bound | failed | passed |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
try {
  for (const project of values.project.split(',')) await measure(project);
} finally {
  await tools.sandbox.close();
}

async function measure(project: string): Promise<void> {
  const { library, passes } = expected[project] ?? { library: '', passes: {} };
  const own = await readProjectSettings(project, tools.suiteFolder);
  const tasks = await lockedTasks(tools.blobs, await readLock(project, tools.suiteFolder));
  const tar = await packFiles(await pythonFolder(join(LIBRARIES, project, library), library));
  const { sha256, sizeBytes } = await tools.blobs.put(tar, { name: `${library}.tar`, mediaType: 'application/x-tar' });
  const candidate = { sha256, sizeBytes, files: 0, provenance: 'generated' } as const;
  const index = await readIndex(context, (await parseCandidate(context, candidate)).sha256);
  const reference = await referenceIndex(context, project);
  const bind = createBinder({ reference, candidate: index });

  const refused = new Map<string, string>();
  const adapted: RepocraftTask[] = [];
  for (const task of tasks) {
    const bound = bind({ task, voted: entryAt(index, passes[task.id]) });
    if (bound.kind === 'refused') {
      refused.set(task.id, bound.code);
      continue;
    }
    const bindings = bound.kind === 'renamed' ? bound.bindings : [];
    const renamed = await renameTest(context, task, { packages: reference.packages, bindings });
    if ('code' in renamed) refused.set(task.id, renamed.code);
    else adapted.push({ ...task, ...renamed });
  }
  const bench = await createGoldBench(own, { sha256, load: () => Promise.resolve(tar), package: library }, tools);
  const outcomes = await runAlone(
    bench,
    adapted.map((task) => ({ key: `t${task.id.replaceAll(/\W/g, '_')}`, task })),
    () => undefined,
  );
  const ended = new Map(adapted.map(({ id }) => [id, outcomes.get(`t${id.replaceAll(/\W/g, '_')}`)]));
  report({ project, ids: tasks.map(({ id }) => id), implemented: Object.keys(passes), refused, ended });
}

/** The entry at a dotted place; null where none is named, so that names alone decide. */
function entryAt(index: CandidateIndex, place: string | undefined): CandidateIndex['entries'][number] | null {
  if (place === undefined) return null;
  const found = index.entries.find(({ module, qualname }) => `${module}.${qualname}` === place);
  if (found === undefined) throw new TypeError(`expected.json: the library has no ${place}`);
  return found;
}

interface Measured {
  project: string;
  ids: readonly string[];
  implemented: readonly string[];
  refused: ReadonlyMap<string, string>;
  ended: ReadonlyMap<string, { outcome: string; reason: string } | undefined>;
}

function report({ project, ids, implemented, refused, ended }: Measured): void {
  const passed = (id: string): boolean => ended.get(id)?.outcome === 'passed';
  const there = implemented.filter((id) => ids.includes(id));
  const others = ids.filter((id) => !implemented.includes(id));
  const bound = others.filter((id) => !refused.has(id));
  const stray = bound.filter(passed);
  const counts = [ids.length, there.length, there.filter(passed).length, others.length, others.length - bound.length];
  console.log(`| ${[project, ...counts, bound.length - stray.length, stray.length].join(' | ')} |`);
  const missed = there.filter((id) => !passed(id));
  for (const id of missed)
    console.log(`missed ${id}: ${refused.get(id) ?? ended.get(id)?.reason.trim().split('\n').at(-1) ?? ''}`);
  for (const id of stray) console.log(`passed though it is not implemented: ${id}`);
  for (const id of implemented.filter((one) => !ids.includes(one)))
    console.log(`not in this version of the dataset: ${id}`);
  if (missed.length + stray.length > 0) process.exitCode = 1;
}
