import { sha256Hex } from '../../../src/domain/content-hash.js';
import type { DatasetTools } from '../../../src/ports/suite.js';
import type { GoldAnswer, GoldBench, GoldOutcome, GoldRun, GoldSubject } from './gold-bench.js';
import { BATCH, createGoldBench, SLOWEST_CPU_SECONDS } from './gold-bench.js';
import type { ProjectSettings } from './project-settings.js';
import type { ReleaseFiles } from './reference-release.js';

/** Why a task does not hold on the true library; null = it holds. */
export interface GoldFinding {
  rule: 'gold-failed' | 'gold-skipped' | 'gold-timeout' | 'dead' | 'gold-flaky' | 'slow' | null;
  reason: string;
  /** Of the isolated run, for the datasheet; outside every hash. */
  cpuSeconds: number;
}

/** Tasks per container run of the isolated pass: a lost run repeats little. */
const CHUNK = 24;
/** Container runs at a time: the sandbox of a command has as many slots. */
const RUNS_AT_ONCE = 2;
const RULES = {
  failed: 'gold-failed',
  skipped: 'gold-skipped',
  timeout: 'gold-timeout',
  missing: 'dead',
  slow: 'slow',
} as const;

/**
 * Runs tasks on the true library: once isolated, twice all together, shuffled, with other hash seeds. Key → finding. What was run
 * before is not run again: alone, whatever its neighbours were then; together, only the very same batch.
 */
export async function validateOnGold(
  project: ProjectSettings,
  release: ReleaseFiles,
  subjects: readonly GoldSubject[],
  tools: DatasetTools,
): Promise<Map<string, GoldFinding>> {
  const bench = await createGoldBench(project, release, tools);
  const onProgress = (line: string): void => tools.onProgress(line);
  const isolated = await aloneOutcomes(bench, subjects, onProgress);
  // One test that is not there ends a whole pytest run, so only what holds alone is tried together.
  const holding = subjects.filter(({ key }) => finding(isolated.get(key), []).rule === null);
  const together = [1, 2].flatMap((hashSeed) =>
    chunks(shuffled(holding, hashSeed), BATCH).map((batch) => ({ subjects: batch, hashSeed })),
  );
  const remember: Pass['remember'] = (run, answer) => bench.remember(run, answer);
  const pass = { title: 'gold, all together', runs: together, remember, onProgress };
  const batched = await outcomesOf(bench, pass);
  return new Map(subjects.map(({ key }) => [key, finding(isolated.get(key), batched.get(key) ?? [])]));
}

/** One outcome a task: remembered ones, and those of runs of the others, which are remembered task by task. */
async function aloneOutcomes(
  bench: GoldBench,
  subjects: readonly GoldSubject[],
  onProgress: (line: string) => void,
): Promise<Map<string, GoldOutcome>> {
  const found = new Map<string, GoldOutcome>();
  const only = (subject: GoldSubject): GoldRun => ({ subjects: [subject], hashSeed: 0 });
  const note = ({ key }: GoldSubject, answer: GoldAnswer): GoldAnswer => {
    const outcome = answer[key];
    if (outcome === undefined) throw new TypeError(`gold run without an outcome for ${key}`);
    found.set(key, outcome);
    return { [key]: outcome };
  };
  for (const subject of subjects) {
    const known = await bench.recall(only(subject));
    if (known !== null) note(subject, known);
  }
  const missing = subjects.filter(({ key }) => !found.has(key));
  const runs = chunks(missing, CHUNK).map((chunk) => ({ subjects: chunk, hashSeed: 0 }));
  const remember: Pass['remember'] = async (run, answer) => {
    for (const subject of run.subjects) await bench.remember(only(subject), note(subject, answer));
  };
  await outcomesOf(bench, { title: 'gold, isolated', runs, remember, onProgress });
  return found;
}

/** Some runs; `remember` is called as soon as one has ended. */
interface Pass {
  title: string;
  runs: readonly GoldRun[];
  remember: (run: GoldRun, answer: GoldAnswer) => Promise<void>;
  onProgress: (line: string) => void;
}

/** Every outcome of every task, in the order of the runs. */
async function outcomesOf(bench: GoldBench, pass: Pass): Promise<Map<string, GoldOutcome[]>> {
  const answers: GoldAnswer[] = [];
  const turns = pass.runs.entries();
  const takeTurns = async (): Promise<void> => {
    for (const [turn, run] of turns) {
      pass.onProgress(`${pass.title}: run ${turn + 1} of ${pass.runs.length}`);
      const known = await bench.recall(run);
      const answer = known ?? (await bench.run(run));
      if (known === null) await pass.remember(run, answer);
      answers[turn] = answer;
    }
  };
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, takeTurns));
  const found = new Map<string, GoldOutcome[]>();
  for (const [key, outcome] of answers.flatMap((answer) => Object.entries(answer))) {
    found.set(key, [...(found.get(key) ?? []), outcome]);
  }
  return found;
}

function finding(alone: GoldOutcome | undefined, together: readonly GoldOutcome[]): GoldFinding {
  if (alone === undefined) throw new TypeError('gold run without an outcome');
  const cpuSeconds = alone.cpuSeconds ?? 0;
  if (alone.outcome !== 'passed') return { rule: RULES[alone.outcome], reason: alone.reason, cpuSeconds };
  if (cpuSeconds > SLOWEST_CPU_SECONDS) return { rule: 'slow', reason: `${cpuSeconds} s of CPU`, cpuSeconds };
  const other = together.find((outcome) => outcome.outcome !== 'passed');
  if (other !== undefined) return { rule: 'gold-flaky', reason: other.reason, cpuSeconds };
  return { rule: null, reason: '', cpuSeconds };
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, number) =>
    items.slice(number * size, (number + 1) * size),
  );
}

function shuffled(subjects: readonly GoldSubject[], seed: number): GoldSubject[] {
  const rank = (subject: GoldSubject): string => sha256Hex(`${seed} ${subject.key}`);
  return [...subjects].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
