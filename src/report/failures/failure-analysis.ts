import type { Problem } from '../../contract/problem.js';
import { wilsonInterval, type Interval } from '../../domain/statistics/statistics.js';
import { sha256Hex } from '../../domain/text/content-hash.js';
import { plainLine } from '../../domain/text/plain-text.js';
import type { TrialRow } from '../../ports/records.js';
import type { SuiteFailures } from '../../suite/failures.js';
import { createTally, type Tally } from './failure-tally.js';
import { recommendations, type Recommendation } from './recommendations.js';

/** What the failed trials of a campaign are analysed by. */
export interface FailureSource {
  /** Null for suites that say nothing of their failures. */
  suite: Omit<SuiteFailures, 'difficulties'> | null;
  /** By task; null where the suite has none. */
  difficulties: ReadonlyMap<string, string> | null;
  /** What the suite reads in the evidence of a trial. */
  explain(trialId: string): Promise<Problem | null>;
}

/** A failed trial that shows its class. */
interface FailureSample {
  trial: string;
  reason: string;
  /** What the evidence says, on one line; null where it says nothing. */
  excerpt: string | null;
}

/** How many failed trials have one value of something. */
export interface FailureCount {
  name: string;
  failed: number;
}

/** The failed trials of a system with one class. */
export interface FailureClass {
  system: string;
  /** Null: of no class. */
  class: string | null;
  failed: number;
  /** Of all failed trials of the system, with its 95 % Wilson interval. */
  share: { value: number; interval: Interval | null };
  /** By group, difficulty of the task (empty where the suite has none) and the stage that ended them. */
  groups: FailureCount[];
  difficulties: FailureCount[];
  stages: FailureCount[];
  /** Ten at most, drawn by the hash of their ids: the first ones would all be of one group. */
  samples: FailureSample[];
}

/** Where the failed trials of a campaign were lost, and what to try. */
export interface FailureAnalysis {
  classes: FailureClass[];
  /** What lies above the threshold of its rule. */
  recommendations: Recommendation[];
}

/** Of a campaign without any trials. */
export const NO_FAILURES: FailureAnalysis = { classes: [], recommendations: [] };

/** Adds up page after page of trials; of these only samples are kept. */
export function createFailureAnalyser(source: FailureSource): {
  add: (page: readonly TrialRow[]) => void;
  analysis: () => Promise<FailureAnalysis>;
} {
  const systems = new Map<string, Tally>();
  return {
    add(page) {
      for (const trial of page) {
        if (trial.outcome === null || trial.outcome === 'not_run') continue;
        const tally = systems.get(trial.systemId) ?? createTally();
        systems.set(trial.systemId, tally);
        tally.add(trial, placeOf(trial, source), () => sha256Hex(trial.id));
      }
    },
    analysis: async () => ({
      classes: (await Promise.all([...systems].map((each) => classesOf(each, source)))).flat(),
      recommendations: [...systems].flatMap(([system, tally]) =>
        recommendations(system, tally, source.suite?.rules ?? []),
      ),
    }),
  };
}

/** The analysis of trials that are read for it alone. */
export async function failureAnalysis(
  source: FailureSource,
  trialPages: (visit: (page: readonly TrialRow[]) => void) => Promise<void>,
): Promise<FailureAnalysis> {
  const analyser = createFailureAnalyser(source);
  await trialPages(analyser.add);
  return analyser.analysis();
}

/** Difficulty of a task that the dataset as it is now has not. */
const UNKNOWN = 'unknown';

function placeOf(trial: TrialRow, { suite, difficulties }: FailureSource) {
  return {
    class: suite === null ? trial.reason : suite.classOf(trial),
    stage: suite?.stageOf(trial) ?? null,
    difficulty: difficulties === null ? null : (difficulties.get(trial.taskId) ?? UNKNOWN),
  };
}

async function classesOf([system, { failed, classes }]: [string, Tally], source: FailureSource) {
  const order = [...new Set(source.difficulties?.values() ?? [])];
  if ([...classes.values()].some(({ difficulties }) => difficulties.has(UNKNOWN))) order.push(UNKNOWN);
  const rows: FailureClass[] = [];
  for (const [name, { count, samples, groups, difficulties, stages }] of classes)
    rows.push({
      ...{ system, class: name, failed: count },
      share: { value: count / failed, interval: wilsonInterval(count, failed) },
      groups: countsOf(groups),
      difficulties: order.map((level) => ({ name: level, failed: difficulties.get(level) ?? 0 })),
      stages: countsOf(stages),
      samples: await Promise.all(samples.map(({ trial }) => sampleOf(trial, source))),
    });
  return rows.sort((one, other) => other.failed - one.failed);
}

const countsOf = (counts: ReadonlyMap<string, number>): FailureCount[] =>
  [...counts].map(([name, failed]) => ({ name, failed })).sort((one, other) => other.failed - one.failed);

/** Characters of an excerpt. */
const LONGEST_EXCERPT = 300;

async function sampleOf({ id, reason, message }: TrialRow, source: FailureSource): Promise<FailureSample> {
  // One trial whose evidence cannot be read takes no report away.
  const explained = await source.explain(id).catch(() => null);
  const said = explained?.message ?? message;
  return {
    trial: id,
    reason: reason ?? 'unknown',
    excerpt: said === null ? null : plainLine(said, LONGEST_EXCERPT),
  };
}
