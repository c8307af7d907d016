import { setTimeout as sleep } from 'node:timers/promises';
import type { EvidenceRef } from '../../contract/evidence.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Connection } from '../connection.js';

/** One piece of evidence of a trial or generation. */
export interface LogEntry {
  stage: string;
  step: string;
  /** The run that left it, from 1. */
  run: number;
  /** Of an attempt that failed: its number; null for what a step that ended has left. */
  failedAttempt: number | null;
  evidence: EvidenceRef;
  /** Its text; null of bytes that are none, and where it is kept no more. */
  text: string | null;
}

/** Which evidence is wanted; everything where nothing is said. */
export interface LogOptions {
  /** A stage (`execute`), or a stage with its step (`execute/run`). */
  step?: string | undefined;
  /** A name (`report.json`), or what it begins with (`prompt-`). */
  evidence?: string | undefined;
  /** Goes on until the trial has ended. Default: false. */
  follow?: boolean | undefined;
  /** Ends following. */
  signal?: AbortSignal | undefined;
}

const POLL_MS = 1_000;

/**
 * The evidence of a trial or generation, oldest first, each piece once.
 * @throws UserError where nothing it has is called so, and it has ended
 */
export async function* trialLogs(
  { records, blobs }: Pick<Connection, 'records' | 'blobs'>,
  owner: { kind: 'trial' | 'generation'; id: string },
  options: LogOptions = {},
): AsyncGenerator<LogEntry, void> {
  const told = new Set<string>();
  for (;;) {
    const { entries, isOver } = await evidenceOf({ records }, owner);
    const matching = entries.filter((entry) => isWanted(entry, options));
    const wanted = exactly(matching, options.evidence);
    if (wanted.length === 0 && (isOver || options.follow !== true)) {
      if (told.size > 0) return;
      throw nothingThere(owner.id, entries, options);
    }
    for (const entry of wanted) {
      const { stage, step, run, failedAttempt, evidence } = entry;
      const key = JSON.stringify([stage, step, run, failedAttempt, evidence.name, evidence.sha256]);
      if (told.has(key)) continue;
      told.add(key);
      yield { ...entry, text: await textOf(blobs, evidence) };
    }
    if (isOver || options.follow !== true || options.signal?.aborted === true) return;
    await sleep(POLL_MS, undefined, { signal: options.signal }).catch(() => undefined); // an abort only ends it early
  }
}

type Entry = Omit<LogEntry, 'text'>;

async function evidenceOf(
  { records }: Pick<Connection, 'records'>,
  { kind, id }: { kind: 'trial' | 'generation'; id: string },
): Promise<{ entries: Entry[]; isOver: boolean }> {
  const detail = kind === 'trial' ? await records.trial(id) : await records.generation(id);
  const state = 'trial' in detail ? detail.trial.state : detail.generation.state;
  const ended = detail.steps.map((step) => ({ ...step, failedAttempt: null }));
  const failed = detail.attempts
    .filter(({ failure }) => failure !== null)
    .map((attempt) => ({ ...attempt, failedAttempt: attempt.attempt, evidence: attempt.evidence ?? [] }));
  const entries = [...ended, ...failed]
    .sort((one, other) => Date.parse(one.endedAt) - Date.parse(other.endedAt))
    .flatMap(({ stage, step, n, failedAttempt, evidence }) =>
      evidence.map((each) => ({ stage, step, run: n, failedAttempt, evidence: each })),
    );
  return { entries, isOver: state === 'done' };
}

function isWanted({ stage, step, evidence }: Entry, options: LogOptions): boolean {
  const isOfStep = options.step === undefined || options.step === stage || options.step === `${stage}/${step}`;
  return isOfStep && (options.evidence === undefined || evidence.name.startsWith(options.evidence));
}

/** Where something is called just so, that alone. */
function exactly(entries: readonly Entry[], name: string | undefined): readonly Entry[] {
  const exact = entries.filter(({ evidence }) => evidence.name === name);
  return exact.length > 0 ? exact : entries;
}

const TEXT = /^text\/|[/+](?:json|yaml|xml)\b|x-ndjson/;

async function textOf(blobs: Connection['blobs'], { sha256, mediaType }: EvidenceRef): Promise<string | null> {
  if (!TEXT.test(mediaType) || !(await blobs.has(sha256))) return null;
  return (await blobs.get(sha256)).toString('utf8');
}

function nothingThere(id: string, entries: readonly Entry[], { step, evidence }: LogOptions): UserError {
  const asked = [...(step === undefined ? [] : [`step ${step}`]), ...(evidence === undefined ? [] : [evidence])];
  const known = [...new Set(entries.map((each) => `${each.stage}/${each.step}`.replace(/\/$/, '')))];
  const names = [...new Set(entries.map((each) => each.evidence.name))];
  return new UserError('usage', {
    message: `${id} has left no evidence${asked.length === 0 ? '' : ` of ${asked.join(', ')}`}`,
    ...(entries.length > 0 && { expected: `one of the steps ${known.join(', ')}; of the names ${names.join(', ')}` }),
    fix: entries.length > 0 ? `durabench logs ${id}` : `durabench show ${id}`,
  });
}
