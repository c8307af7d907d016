import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  isCancellation,
  rootCause,
  TemporalFailure,
  TerminatedFailure,
} from '@temporalio/workflow';
import type { Failure } from '../../src/contract/failure.js';
import type { Problem } from '../../src/contract/problem.js';
import { adviceOf } from '../../src/domain/failure/advice.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import { failureParts, problemOfParts } from '../../src/domain/failure/failure-parts.js';
import { storableText } from '../../src/domain/text/storable.js';
import { stopFailure } from '../../src/domain/campaign/trial-end.js';
import { isFailureType } from '../../src/domain/failure/failure-table.js';

/** What any error in workflow code means as data. Never throws. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DomainFailure) return error.toFailure();
  if (isCancellation(error)) return stopFailure('operator.cancelled');
  const cause = innermost(error);
  if (cause instanceof TerminatedFailure)
    return failure('operator.cancelled', { message: 'its workflow was terminated' });
  if (cause instanceof ApplicationFailure && cause.type && isFailureType(cause.type))
    return failure(cause.type, problemOfParts(cause));
  return failure('harness.bug', { message: rootCause(error) ?? String(error) });
}

/**
 * Runs a workflow's body so that an error which is not Temporal's own fails the workflow instead of its task: a
 * workflow task is retried for ever, and nobody would see why nothing happens.
 */
export async function withFailureMapping<Result>(body: () => Promise<Result>): Promise<Result> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof TemporalFailure || isTemporalControl(error)) throw error;
    throw ApplicationFailure.create({ ...failureParts(failureOf(error)), nonRetryable: true });
  }
}

/** Errors by which the SDK steers itself; catching them would hide a determinism problem. */
export function isTemporalControl(error: unknown): boolean {
  return error instanceof Error && ['DeterminismViolationError', 'ContinueAsNew'].includes(error.name);
}

function innermost(error: unknown): unknown {
  let at = error;
  while ((at instanceof ActivityFailure || at instanceof ChildWorkflowFailure) && at.cause) at = at.cause;
  return at;
}

function failure(type: Failure['type'], problem: Problem): Failure {
  return new DomainFailure(type, { message: short(problem.message), ...adviceOf(problem, short) }).toFailure();
}

const short = (text: string): string => storableText(text.slice(0, 1000));
