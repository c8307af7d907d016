import { join } from 'node:path';
import {
  createBench,
  type BenchLibrary,
  type BenchTools,
  type GoldBench,
  type GoldOutcome,
} from '../../dataset/gold-bench.js';
import { runAlone } from '../../dataset/gold-validation.js';
import type { ProjectSettings } from '../../dataset/project-settings.js';
import type { RepocraftTask } from '../../dataset/repocraft-task.js';
import { pythonFolder } from '../../python-folder.js';

/** Lines that a test runs of functions of the reference: file → lines. */
type RanLines = Record<string, number[]>;

/** What the tests of a project run of the files that their targets lie in. */
export interface WatchedTests {
  /** By task; without those of which nothing is known. */
  ran: Record<string, RanLines>;
  /** Tasks that did not pass while they were watched: what they run is not known, or not all of it. */
  unwatched: Record<string, GoldOutcome['outcome']>;
}

/** What the reference did with a watched task. */
type WatchedOutcome = GoldOutcome & { lines: RanLines | null };

/** As much of a task as is watched. */
export type WatchedTask = Pick<
  RepocraftTask,
  'id' | 'targets' | 'test_code' | 'auxiliary_code' | 'functions' | 'fixtures'
>;

/**
 * Runs each test once on the reference as gold runs it alone, as many at once, with its lines watched (`python/watch`). Kept
 * task by task, by what it was run with: whatever is derived of these tasks asks the same.
 */
export async function watchTests(
  tools: BenchTools,
  project: ProjectSettings,
  { library, tasks }: { library: BenchLibrary; tasks: readonly WatchedTask[] },
): Promise<WatchedTests> {
  const bench = await createWatchBench(tools, project, { library, tasks });
  const subjects = tasks.map((task) => ({ key: task.id, task }));
  const outcomes = [...(await runAlone(bench, subjects, () => undefined))].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ran: Object.fromEntries(outcomes.flatMap(([id, { lines }]) => (lines === null ? [] : [[id, lines]]))),
    unwatched: Object.fromEntries(
      outcomes.flatMap(([id, { outcome }]) => (outcome === 'passed' ? [] : [[id, outcome]])),
    ),
  };
}

/** What to tell of tests that were not watched to their end; null where all were. */
export function unwatchedNote({ ran, unwatched }: WatchedTests): string | null {
  const told = Object.entries(unwatched).map(([id, outcome]) => `${id} (${outcome})`);
  if (told.length === 0) return null;
  const all = new Set([...Object.keys(ran), ...Object.keys(unwatched)]).size;
  const named = [...told.slice(0, 5), ...(told.length > 5 ? ['…'] : [])].join(', ');
  return `what they run is not known, or not all of it, of ${told.length} of ${all} tests: ${named}`;
}

async function createWatchBench(
  tools: BenchTools,
  project: ProjectSettings,
  { library, tasks }: { library: BenchLibrary; tasks: readonly WatchedTask[] },
): Promise<GoldBench<WatchedOutcome>> {
  const folders = ['gold', 'watch'].map((name) => pythonFolder(join(tools.suiteFolder, 'python', name), name));
  const files = new Map((await Promise.all(folders)).flatMap((folder) => [...folder]));
  const asked = { targets: [...new Set(tasks.flatMap(({ targets }) => targets))].sort() };
  const bench = await createBench<WatchedOutcome>({ project, library, runner: { name: 'watch', files, asked } }, tools);
  return {
    ...bench,
    // What a busy machine may have caused is tried again the next time, not kept for ever.
    remember: async (run, answer) => {
      if (!Object.values(answer).some(wasKilled)) await bench.remember(run, answer);
    },
  };
}

/** Ended by a limit of time. */
const wasKilled = ({ outcome }: GoldOutcome): boolean => outcome === 'timeout' || outcome === 'slow';
