import type { Blame, FailureType } from '../../contract/failure.js';

/** What a failure type means for retries and blame. */
export interface FailureRule {
  blame: Blame;
  /** Attempts before it becomes final; 1 = never retried, Infinity = only scheduleToClose (30 d) ends it. */
  maxAttempts: number;
  /**
   * What the pause after an attempt grows by with each one that ended so, whatever else went wrong between them and
   * whichever workers made them. Absent: whoever failed says when to come again, else the policy of stages.
   */
  pauseFactor?: number;
}

/** Gone outside, and back as a whole: its return is noticed after a quarter more of the time it was away. */
const OUTAGE = { maxAttempts: Infinity, pauseFactor: 1.25 };
/**
 * The worker that tried lacks what others may have, and what somebody may give it: whoever has it is to do the work. Asked
 * again as after an outage, so that a worker without it is seldom in the way of one that has it.
 */
const LACK = { blame: 'infrastructure', ...OUTAGE } as const;
/** A provider in trouble: eight attempts outlast two minutes of it. */
const UNAVAILABLE = { maxAttempts: 8, pauseFactor: 2 };

/** One row a failure type; `activities/failures.ts` turns it into Temporal's terms. */
export const FAILURE_TABLE: Readonly<Record<FailureType, FailureRule>> = {
  'model.rate-limited': { blame: 'infrastructure', maxAttempts: Infinity },
  // Nothing was sent: the provider's pace says that others come first.
  'model.waiting': { blame: 'infrastructure', maxAttempts: Infinity },
  // Its request waits for a provider batch, which may take a day.
  'model.batched': { blame: 'infrastructure', maxAttempts: Infinity },
  'model.server-error': { blame: 'infrastructure', ...UNAVAILABLE },
  'model.unreachable': { blame: 'infrastructure', ...UNAVAILABLE },
  // The ledger itself limits ambiguous sends to two a call; this cap only guards against a loop.
  'model.ambiguous': { blame: 'infrastructure', ...UNAVAILABLE },
  'model.bad-request': { blame: 'harness', maxAttempts: 1 },
  'model.unauthorized': { blame: 'infrastructure', maxAttempts: 1 },
  // The worker has no variable of that name.
  'model.key-missing': LACK,
  'model.content-policy': { blame: 'model', maxAttempts: 1 },
  'model.context-length': { blame: 'model', maxAttempts: 1 },
  // A reply that breaks the API (no JSON, no choices): the provider's fault, seen to pass.
  'model.bad-answer': { blame: 'infrastructure', maxAttempts: 3 },
  // No model of the judge said anything that can be read: asked anew by a retry, and nothing a candidate could help.
  'judge.no-answer': { blame: 'judge', maxAttempts: 1 },
  'call.in-flight': { blame: 'infrastructure', maxAttempts: Infinity },
  'budget.exhausted': { blame: 'budget', maxAttempts: 1 },
  'budget.contended': { blame: 'budget', maxAttempts: Infinity },
  // The system's own limit, part of what is evaluated: what it made until then is its candidate, and final.
  'system.limit-reached': { blame: 'model', maxAttempts: 1 },
  'sandbox.lost': { blame: 'infrastructure', maxAttempts: 3 },
  'sandbox.unavailable': { blame: 'infrastructure', ...OUTAGE },
  'sandbox.image-missing': LACK,
  'sandbox.disk-full': { blame: 'infrastructure', ...OUTAGE },
  // Its package is not among those that the worker loads.
  'suite.missing': LACK,
  // Its folder is of another version than the code it runs.
  'suite.changed': LACK,
  'dataset.missing': LACK,
  'dataset.hash-mismatch': { blame: 'task', maxAttempts: 1 },
  'task.broken': { blame: 'task', maxAttempts: 1 },
  'candidate.missing': { blame: 'harness', maxAttempts: 1 },
  // A changed grader asks for a run that the earlier one had no reason to make.
  'evidence.missing': { blame: 'harness', maxAttempts: 1 },
  'records.unavailable': { blame: 'infrastructure', ...OUTAGE },
  'blobs.unavailable': { blame: 'infrastructure', maxAttempts: 8 },
  // Written down, and not in the blob store of this worker.
  'blobs.missing': LACK,
  'operator.cancelled': { blame: 'operator', maxAttempts: 1 },
  'operator.superseded': { blame: 'operator', maxAttempts: 1 },
  'harness.bug': { blame: 'harness', maxAttempts: 1 },
};

/** What a worker may lack: the step waits for one that has it. Shown as what a campaign waits for, with the worker's name. */
export const LACKING: readonly FailureType[] = [
  'sandbox.image-missing',
  'suite.missing',
  'suite.changed',
  'dataset.missing',
  'blobs.missing',
  'model.key-missing',
];

/** True for the names of the table, so that a string from a history can be trusted again. */
export function isFailureType(name: string): name is FailureType {
  return Object.hasOwn(FAILURE_TABLE, name);
}
