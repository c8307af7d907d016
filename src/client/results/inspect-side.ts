import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../domain/failure/user-error.js';
import { systemWords } from '../../domain/failure/system-words.js';
import { plainLine } from '../../domain/text/plain-text.js';
import type { TaskOutcome } from '../../ports/records.js';
import type { ComparedSystem } from '../../report/results/comparison.js';

/** What another program says a model did: shown beside a campaign, never counted as graded here. */
export interface InspectSide {
  system: ComparedSystem;
  task: string;
  /** Whose scores count, and all there are. */
  scorer: string;
  scorers: string[];
  status: string;
  outcomes: TaskOutcome[];
  /** Samples with a part of the points, which count as failed. */
  partial: number;
  /** Samples with an error or without a score. */
  ungraded: number;
}

/** Its texts are read as a whole. */
const MOST_BYTES = 256 * 1024 ** 2;
/** The format that Inspect has written since 2024. */
const VERSION = 2;

const head = z.object({
  eval: z.object({ task: z.string(), model: z.string() }),
  status: z.string(),
  results: z.object({ scores: z.array(z.object({ name: z.string() })) }).nullish(),
  samples: z
    .array(
      z.object({
        id: z.union([z.string(), z.number()]),
        epoch: z.number(),
        scores: z.record(z.string(), z.object({ value: z.unknown() })).nullish(),
        error: z.unknown().optional(),
      }),
    )
    .nullish(),
});
type Log = z.infer<typeof head>;
type Sample = NonNullable<Log['samples']>[number];

/** Whether a side of a comparison is a log of Inspect and not a campaign, whose ids have no dot. */
export const isInspectLog = (wanted: string): boolean => /\.(json|eval)$/i.test(wanted);

/**
 * Reads what a log of Inspect says of its samples.
 * @param named the path as the user wrote it
 * @throws UserError for what is no log, has not ended, is of another version or too large
 */
export async function readInspectLog(path: string, named: string): Promise<InspectSide> {
  const log = parsedLog(await readText(path, named), named);
  const { samples } = log;
  if (log.status === 'started')
    throw wrong(`${named} has not ended: it is still being written`, 'wait until Inspect is done with it');
  if (!samples?.length)
    throw wrong(`${named} holds no samples`, 'run inspect eval without --no-log-samples, and name its log');
  const scorers = scorersOf(log, samples);
  const [scorer = 'none'] = scorers;
  const file = plainLine(basename(named), 60);
  const points = samples.map((sample) => ({ sample, value: pointsOf(sample, scorer, named) }));
  const graded = points.flatMap(({ value }) => value ?? []);
  return {
    system: { campaign: file, system: plainLine(log.eval.model, 60), source: 'inspect' },
    ...{ task: plainLine(log.eval.task, 60), scorer: plainLine(scorer, 60) },
    scorers: scorers.map((each) => plainLine(each, 60)),
    status: plainLine(log.status, 20),
    outcomes: outcomesOf(points, file),
    partial: graded.filter((value) => value > 0 && value < 1).length,
    ungraded: samples.length - graded.length,
  };
}

async function readText(path: string, named: string): Promise<string> {
  const unreadable = (error: NodeJS.ErrnoException): UserError =>
    wrong(
      `${named} cannot be read: ${systemWords(error)}`,
      'name a log of Inspect, or a campaign: durabench list',
      error,
    );
  const about = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error);
  });
  if (!about.isFile()) throw wrong(`${named} is no file`, 'name one log of Inspect, not its folder');
  if (/\.eval$/i.test(named))
    throw wrong(`${named} is packed`, `inspect log convert ${named} --to json --output-dir logs-json`);
  if (about.size > MOST_BYTES)
    throw wrong(
      `${named} is larger than 256 MiB`,
      'inspect eval --limit FROM-TO writes a log for each part of the tasks',
    );
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error);
  });
}

function parsedLog(text: string, named: string): Log {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notALog(named, 'it is not JSON', error);
  }
  const version = z.object({ version: z.number() }).safeParse(value).data?.version;
  const read = head.safeParse(value);
  // What another version calls things is not known.
  const isLog = typeof value === 'object' && value !== null && 'eval' in value;
  if (isLog && version !== VERSION)
    throw wrong(
      `${named} has version ${version ?? 'none'} of the format, and ${VERSION} can be read`,
      `inspect log convert ${named} --to json --output-dir logs-json, with an Inspect that writes version ${VERSION}`,
    );
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw notALog(named, plainLine(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`));
}

/** The first one is that of the log's own result. */
function scorersOf({ results }: Log, samples: readonly Sample[]): string[] {
  const named = samples.flatMap(({ scores }) => Object.keys(scores ?? {}));
  return [
    ...new Set([...(results?.scores ?? []).map(({ name }) => name).filter((name) => named.includes(name)), ...named]),
  ];
}

/** Inspect's words for all, part and none of the points. */
const POINTS: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0, true: 1, yes: 1, false: 0, no: 0 };

/** From 0 to 1; null where nothing was graded. */
function pointsOf({ id, scores, error }: Sample, scorer: string, named: string): number | null {
  if ((error !== null && error !== undefined) || !Object.hasOwn(scores ?? {}, scorer)) return null;
  const value = scores![scorer]!.value;
  const points = typeof value === 'number' ? value : Object.hasOwn(POINTS, String(value)) ? POINTS[String(value)] : NaN;
  if (points !== undefined && points >= 0 && points <= 1) return points;
  const told = typeof value === 'object' ? (Array.isArray(value) ? 'a list' : 'an object') : JSON.stringify(value);
  throw wrong(
    `${named}: the score of sample ${plainLine(String(id), 60)} is ${plainLine(told ?? 'nothing', 60)}`,
    'score with a scorer that says correct or incorrect, such as match',
  );
}

/** Epochs of a sample are repeats of a task. Its group is not known here. */
function outcomesOf(points: readonly { sample: Sample; value: number | null }[], file: string): TaskOutcome[] {
  const outcomes = new Map<string, TaskOutcome>();
  for (const { sample, value } of points) {
    const taskId = plainLine(String(sample.id), 200);
    const trial = `${file}#${taskId}/${sample.epoch}`;
    const [isGraded, isPassed] = [value !== null, value === 1];
    const before = outcomes.get(taskId);
    outcomes.set(taskId, {
      ...{ systemId: '', taskId, group: '', sha256: null, metrics: {} },
      graded: (before?.graded ?? 0) + (isGraded ? 1 : 0),
      passed: (before?.passed ?? 0) + (isPassed ? 1 : 0),
      passedTrial: before?.passedTrial ?? (isPassed ? trial : null),
      failedTrial: before?.failedTrial ?? (isGraded && !isPassed ? trial : null),
    });
  }
  return [...outcomes.values()];
}

const notALog = (named: string, why: string, cause?: unknown): UserError =>
  wrong(`${named} is no log of Inspect: ${why}`, 'name a log that inspect eval --log-format json has written', cause);

const wrong = (message: string, fix: string, cause?: unknown): UserError =>
  new UserError(
    'usage',
    { message, expected: 'a log of Inspect as JSON, with its samples, that has ended', fix },
    { cause },
  );
