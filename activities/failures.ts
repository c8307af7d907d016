import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Failure, FailureType } from '../src/contract/failure.js';
import { adviceOf } from '../src/domain/failure/advice.js';
import { diskFull } from '../src/domain/failure/disk-full.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { isDiskFull, systemWords } from '../src/domain/failure/system-words.js';
import { failureParts } from '../src/domain/failure/failure-parts.js';
import { storableText } from '../src/domain/text/storable.js';
import { FAILURE_TABLE, LACKING } from '../src/domain/failure/failure-table.js';

/** Attempts of a step that ended with each failure type, carried from attempt to attempt in heartbeat details. */
export type FailureCounts = Partial<Record<FailureType, number>>;

/** Pauses of a failure type by itself: from the first to the longest, as the policy of stages has them (`workflows/kit/options.ts`). */
const PAUSE = { firstMs: 1_000, longestMs: 60_000 };

/** Bytes of a message that may enter a history. */
const MESSAGE_LIMIT = 1500;
/** Ends that somebody asked for; they are not errors in a log. */
const EXPECTED: readonly FailureType[] = [
  'operator.cancelled',
  'operator.superseded',
  'budget.exhausted',
  'call.in-flight',
  'budget.contended',
  'model.waiting',
  'model.batched',
];
/** Temporal's reasons, as its SDK names them. */
const ABORTS: Readonly<Record<string, 'shutdown' | 'forgotten'>> = {
  WORKER_SHUTDOWN: 'shutdown',
  NOT_FOUND: 'forgotten',
  TIMED_OUT: 'forgotten',
};
/** Retryable whoever is asked, so no entry of the failure table; the activity goes on with another worker. */
const WORKER_SHUTDOWN = 'worker.shutdown';

/** What stages and ports threw, as data. A disk that is full is the machine's; whatever else is not a `DomainFailure` is a bug of the harness. */
export function toFailure(error: unknown): Failure {
  const failure = isDomainFailure(error) ? error.toFailure() : (withoutRoom(error) ?? bug(error));
  return { ...failure, message: presentable(failure.message), ...adviceOf(failure, presentable) };
}

/**
 * A failure in Temporal's terms: final once its own type reached its cap, whatever else went wrong before.
 * @param earlier counts of a stage's earlier attempts; undefined for what does not count them, whose policy sets the pauses
 */
export function toApplicationFailure(error: unknown, earlier?: FailureCounts): ApplicationFailure {
  const failure = toFailure(error);
  const { type } = failure;
  const isFinal = isDomainFailure(error) && error.final;
  const attempts = earlier?.[type] ?? 0;
  const nonRetryable = isFinal || attempts + 1 >= FAILURE_TABLE[type].maxAttempts;
  const askedMs = isDomainFailure(error) ? error.retryAfterMs : null;
  const ownMs = earlier === undefined ? null : pauseMs(type, attempts);
  const retryAfterMs = askedMs === null ? ownMs : Math.max(askedMs, ownMs ?? 0);
  return ApplicationFailure.create({
    ...failureParts(failure),
    nonRetryable,
    // "Now" is a millisecond: the server does not retry at all after a delay of zero (measured).
    ...(retryAfterMs === null || nonRetryable ? {} : { nextRetryDelay: Math.max(1, retryAfterMs) }),
    ...(EXPECTED.includes(type) ? { category: 'BENIGN' as const } : {}),
  });
}

/** null: none of its own. */
function pauseMs(type: FailureType, earlier: number): number | null {
  const { pauseFactor } = FAILURE_TABLE[type];
  return pauseFactor === undefined
    ? null
    : Math.round(Math.min(PAUSE.longestMs, PAUSE.firstMs * pauseFactor ** earlier));
}

/** The attempt did not fail: its worker stops, and another one may start over at once. */
export function shutdownFailure(): ApplicationFailure {
  return ApplicationFailure.create({ type: WORKER_SHUTDOWN, message: 'the worker is stopping', category: 'BENIGN' });
}

/**
 * Why an activity's signal was aborted. `shutdown`: its worker stops. `forgotten`: the server waits for this attempt no
 * longer, since it heard nothing of it for too long or since its workflow is over. Everything else is a request to cancel.
 */
export function abortKind(signal: AbortSignal): 'none' | 'shutdown' | 'forgotten' | 'cancelled' {
  if (!signal.aborted) return 'none';
  const reason: unknown = signal.reason;
  return (reason instanceof CancelledFailure && ABORTS[reason.message]) || 'cancelled';
}

/** Whether it says that this worker lacks what a step needs; others may have it. */
export function isLacking(error: unknown): error is DomainFailure {
  return isDomainFailure(error) && LACKING.includes(error.type);
}

function isDomainFailure(error: unknown): error is DomainFailure {
  return error instanceof DomainFailure;
}

/** A file that found no room, wherever it was written. */
function withoutRoom(error: unknown): Failure | null {
  if (!isDiskFull(error)) return null;
  const { path, message } = error as NodeJS.ErrnoException;
  const told = path === undefined ? message : `${path}: ${systemWords(error)}`;
  return diskFull({ message: told, expected: 'room for the files of the worker' }).toFailure();
}

function bug(error: unknown): Failure {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { type: 'harness.bug', blame: 'harness', message: text };
}

/** Cut to what a history and Postgres may hold, with what looks like a secret blanked. */
export function presentable(message: string): string {
  // Cut before the patterns run as well: what a server sends back may be megabytes.
  const redacted = message
    .slice(0, 4 * MESSAGE_LIMIT)
    .replace(/\b(sk|pk|ghp|gho|xox[abp])[-_][A-Za-z0-9_-]{8,}/g, '$1-…')
    .replace(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 …')
    .replace(/(\b\w{1,20}:\/\/[^\s:/@]+:)[^\s@]+@/g, '$1…@');
  const short = message.length <= MESSAGE_LIMIT ? redacted : `${redacted.slice(0, MESSAGE_LIMIT)} … (cut)`;
  return storableText(short);
}
