import { inTurns } from '../../../src/domain/in-turns.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import type { GoldAnswer, GoldBench, GoldOutcome, GoldRun, GoldSubject } from './gold-bench.js';
import { SLOWEST_CPU_SECONDS } from './gold-bench.js';
import { GOLD_BATCH, GOLD_CHUNK, GOLD_SEEDS } from './plan.js';

/** Why a task does not hold on the reference; null = it holds. */
export interface GoldFinding {
  rule: 'gold-failed' | 'gold-skipped' | 'gold-timeout' | 'dead' | 'gold-flaky' | 'slow' | null;
  reason: string;
  /** Of the isolated run, for the datasheet; outside every hash. */
  cpuSeconds: number;
}

type OnProgress = DatasetTools['onProgress'];

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
 * Runs tasks on the reference: once isolated, twice all together, shuffled, with other hash seeds. Key → finding. What was run
 * before is not run again: alone, whatever its neighbours were then; together, only the very same batch.
 */
export async function validateOnGold(
  bench: GoldBench,
  subjects: readonly GoldSubject[],
  onProgress: OnProgress,
): Promise<Map<string, GoldFinding>> {
  const alone = await runAlone(bench, subjects, onProgress);
  const runs = togetherRuns(holdingAlone(subjects, alone));
  const together = await outcomesOf(runs, { title: 'gold, all together', onProgress }, (run) => runOnce(bench, run));
  return new Map(subjects.map(({ key }) => [key, finding(alone.get(key), together.get(key) ?? [])]));
}

/** One isolated outcome a task: remembered ones, and those of runs of the others, which are remembered task by task. */
export async function runAlone<Outcome extends GoldOutcome>(
  bench: GoldBench<Outcome>,
  subjects: readonly GoldSubject[],
  onProgress: OnProgress,
): Promise<Map<string, Outcome>> {
  const found = new Map<string, Outcome>();
  const only = (subject: GoldSubject): GoldRun => ({ subjects: [subject], hashSeed: 0 });
  const note = ({ key }: GoldSubject, answer: GoldAnswer<Outcome>): GoldAnswer<Outcome> => {
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
  const runs = chunks(missing, GOLD_CHUNK).map((chunk) => ({ subjects: chunk, hashSeed: 0 }));
  await outcomesOf(runs, { title: 'gold, isolated', onProgress }, async (run) => {
    const answer = await bench.run(run);
    for (const subject of run.subjects) await bench.remember(only(subject), note(subject, answer));
    return answer;
  });
  return found;
}

/** Those whose isolated run passed within the time. */
export function holdingAlone<Subject extends GoldSubject>(
  subjects: readonly Subject[],
  alone: ReadonlyMap<string, GoldOutcome>,
): Subject[] {
  return subjects.filter(({ key }) => finding(alone.get(key), []).rule === null);
}

/** The runs of tasks all together: every seed shuffles them into other batches. */
export function togetherRuns(holding: readonly GoldSubject[]): GoldRun[] {
  return GOLD_SEEDS.flatMap((hashSeed) =>
    chunks(shuffled(holding, hashSeed), GOLD_BATCH).map((batch) => ({ subjects: batch, hashSeed })),
  );
}

/** What a run says: remembered, or run now and remembered. */
export async function runOnce(bench: GoldBench, run: GoldRun): Promise<GoldAnswer> {
  const known = await bench.recall(run);
  if (known !== null) return known;
  const answer = await bench.run(run);
  await bench.remember(run, answer);
  return answer;
}

/** Every outcome of every task, in the order of the runs. */
async function outcomesOf(
  runs: readonly GoldRun[],
  { title, onProgress }: { title: string; onProgress: OnProgress },
  answerOf: (run: GoldRun) => Promise<GoldAnswer>,
): Promise<Map<string, GoldOutcome[]>> {
  const answers: GoldAnswer[] = [];
  let ended = 0;
  const tell = (): void => onProgress(title, { ended, of: runs.length });
  if (runs.length > 0) tell();
  await inTurns(runs, RUNS_AT_ONCE, async (run, turn) => {
    answers[turn] = await answerOf(run);
    ended += 1;
    tell();
  });
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

/** Consecutive pieces of at most that size. */
export function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, number) =>
    items.slice(number * size, (number + 1) * size),
  );
}

function shuffled(subjects: readonly GoldSubject[], seed: number): GoldSubject[] {
  const rank = (subject: GoldSubject): string => sha256Hex(`${seed} ${subject.key}`);
  return [...subjects].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
