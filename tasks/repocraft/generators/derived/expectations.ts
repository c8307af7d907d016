import { createGoldBench, type GoldAnswer, type GoldBench, type GoldOutcome } from '../../dataset/gold-bench.js';
import { runOnce } from '../../dataset/gold-validation.js';
import type { ProjectSettings } from '../../dataset/project-settings.js';
import type { RepocraftTask } from '../../dataset/repocraft-task.js';
import type { TreeContext } from '../../candidate/tree-reader.js';
import { benchTools } from './bench-tools.js';
import type { DerivedLibrary } from './derive-library.js';
import { isConstantKind, isSoundKind, type DeriveKind } from './derive-settings.js';
import type { Truth } from './truth.js';

/** Tasks run between two heartbeats of the work. */
const BATCH = 25;

/**
 * What the derived library does with each task by plain pytest, one process a task: no search, no vote, no adaptation and
 * none of our runner, so that these can be measured by it.
 */
export async function expectations(
  context: TreeContext,
  project: ProjectSettings,
  made: { library: DerivedLibrary; kind: DeriveKind; tasks: readonly RepocraftTask[] },
): Promise<Truth['tasks']> {
  const { library, kind, tasks } = made;
  const { sha256 } = library.candidate;
  const tar = { sha256, load: () => context.blobs.get(sha256), package: library.package };
  const bench = await createGoldBench(project, tar, benchTools(context));
  const found: Truth['tasks'] = {};
  for (let start = 0; start < tasks.length; start += BATCH) {
    const slice = tasks.slice(start, start + BATCH);
    const answer = await ran(bench, slice, library.tests);
    slice.forEach((task, place) => {
      found[task.id] = { target: task.targets[0] ?? '', ...expectedOf(kind, answer[keyOf(place)]) };
    });
    context.heartbeat();
  }
  return found;
}

const keyOf = (place: number): string => `task_${place}`;

function ran(bench: GoldBench, tasks: readonly RepocraftTask[], tests: Record<string, string>): Promise<GoldAnswer> {
  const subjects = tasks.map((task, place) => ({
    key: keyOf(place),
    task: { ...task, test_code: tests[task.id] ?? task.test_code },
  }));
  return runOnce(bench, { subjects, hashSeed: 0 });
}

/**
 * A library under other names is as good as the reference: where a test fails on it, the renaming broke the test. One that does
 * nothing passes nothing, whatever plain pytest says.
 */
function expectedOf(kind: DeriveKind, outcome: GoldOutcome | undefined): Omit<Truth['tasks'][string], 'target'> {
  if (outcome?.outcome === 'passed') {
    if (isConstantKind(kind)) return { expected: 'failed', reason: 'it does nothing; plain pytest passes it' };
    return { expected: 'passed', reason: '' };
  }
  const reason = `${outcome?.outcome ?? 'no answer'}: ${outcome?.reason ?? ''}`.slice(-400);
  const isUnsound = isSoundKind(kind) || outcome === undefined || outcome.outcome === 'skipped';
  return { expected: isUnsound ? 'unsound' : 'failed', reason };
}
