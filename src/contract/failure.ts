import type { Problem } from './problem.js';

/** Whose doing it was that a trial did not pass. */
export type Blame = 'model' | 'judge' | 'task' | 'infrastructure' | 'budget' | 'operator' | 'harness';

/** Every reason a stage can stop with instead of a result. Closed set; `src/domain/failure/failure-table.ts` gives blame, retry and cap. Names are in histories: never rename. */
export type FailureType =
  | 'model.rate-limited'
  | 'model.waiting'
  | 'model.batched'
  | 'model.server-error'
  | 'model.unreachable'
  | 'model.ambiguous'
  | 'model.bad-request'
  | 'model.unauthorized'
  | 'model.key-missing'
  | 'model.content-policy'
  | 'model.context-length'
  | 'model.bad-answer'
  | 'judge.no-answer'
  | 'call.in-flight'
  | 'budget.exhausted'
  | 'budget.contended'
  | 'system.limit-reached'
  | 'sandbox.lost'
  | 'sandbox.unavailable'
  | 'sandbox.image-missing'
  | 'sandbox.disk-full'
  | 'suite.missing'
  | 'suite.changed'
  | 'dataset.missing'
  | 'dataset.hash-mismatch'
  | 'task.broken'
  | 'candidate.missing'
  | 'evidence.missing'
  | 'records.unavailable'
  | 'blobs.unavailable'
  | 'blobs.missing'
  | 'operator.cancelled'
  | 'operator.superseded'
  | 'harness.bug';

/** A failure as data; small enough for a history (message below 2 KB, never a prompt, completion or log). */
export interface Failure extends Problem {
  type: FailureType;
  blame: Blame;
}
