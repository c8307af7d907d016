import type { FailureType } from '../contract/failure.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';

/** An error as OpenAI words it, for a program that asked. */
export class EndpointError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { message, code }: { message: string; code: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** The object under `error` of the reply. */
  get error(): { message: string; type: string; param: null; code: string } {
    const type = this.status === 429 ? 'insufficient_quota' : 'invalid_request_error';
    return { message: this.message, type, param: null, code: this.code };
  }
}

/** What is the program's own to deal with: its request, or the end of what it may spend. */
const REFUSALS: Partial<Record<FailureType, { status: number; code: string }>> = {
  'model.bad-request': { status: 400, code: 'invalid_request' },
  'model.context-length': { status: 400, code: 'context_length_exceeded' },
  'model.content-policy': { status: 400, code: 'content_policy_violation' },
  'system.limit-reached': { status: 429, code: 'budget_exhausted' },
};

/** What the program is told of a failure; null where that is nothing of its own, and its run cannot go on. */
export function refusalOf(error: unknown): EndpointError | null {
  if (error instanceof EndpointError) return error;
  const refusal = error instanceof DomainFailure ? REFUSALS[error.type] : undefined;
  return refusal === undefined
    ? null
    : new EndpointError(refusal.status, { ...refusal, message: (error as Error).message });
}
