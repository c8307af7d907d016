import type { DomainFailure } from '../domain/failure/domain-failure.js';
import type { ModelAnswer } from '../ports/model.js';

/** What a limiter tells its log. */
export type LimiterEvent =
  /** Requests that may be in flight. */
  | { provider: string; from: number; to: number; reason: string }
  /** Nobody sends for so long. */
  | { provider: string; holdMs: number; reason: string };

/** Who wants to send. */
export interface PermitRequest {
  /** Identifies the call over its sends. */
  call: string;
  /** Whose ceiling it is. */
  campaign: string;
  /** Most requests the campaign wants in flight to the provider from this worker. */
  ceiling: number;
  signal: AbortSignal;
}

/** Permission to send one request. Exactly one of its methods is called when the request is over. */
export interface Permit {
  /** Nothing was sent. */
  unused(): void;
  answered(answer: ModelAnswer): Promise<void>;
  /** @returns when the provider may be asked again: not while it is held */
  failed(failure: DomainFailure): Promise<number>;
}
