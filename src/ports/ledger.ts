import type { EvidenceRef } from '../contract/evidence.js';
import type { OwnerRef } from '../contract/stage.js';

/** Money in integer micro-dollars, tokens beside it. */
export interface Amount {
  microUsd: number;
  tokens: number;
}

/** What is known of a logical call. */
export type CallState =
  | { state: 'new' }
  | { state: 'answered'; responseRef: EvidenceRef }
  /** Another live worker has it in flight. */
  | { state: 'in-flight'; worker: string }
  /** Earlier sends ended without an answer; `ambiguous` counts those that may have been billed. */
  | { state: 'unanswered'; ambiguous: number };

/** One reservation: a send of a call, before the request goes out. */
export interface Reservation {
  key: string;
  campaignId: string;
  epoch: number;
  owner: OwnerRef;
  stage: string;
  step: string;
  purpose: string;
  /** Key into the campaign's `models`. */
  model: string;
  requestRef: EvidenceRef;
  estimate: Amount;
  /** Worker instance id, with a lease row. */
  worker: string;
}

/** Result of reserving. `contended`: the money is reserved by others, wait for their settles. */
export type ReserveResult =
  { status: 'reserved'; attempt: number } | { status: 'exhausted' | 'contended' | 'superseded' };

/** Budgets, calls and sends. Every method is one short transaction. */
export interface Ledger {
  /** Look-up; also turns sends of dead workers into `ambiguous` (settled at their estimate). */
  callState(key: string, worker: string): Promise<CallState>;
  reserve(reservation: Reservation): Promise<ReserveResult>;
  /** Written before the request goes out. */
  markSent(key: string, attempt: number): Promise<void>;
  /** Stores the answer and settles in one transaction; never refused for a stale epoch. */
  settle(
    key: string,
    attempt: number,
    answer: { actual: Amount; responseRef: EvidenceRef; providerRequestId: string | null; usageReported: boolean },
  ): Promise<void>;
  /** The provider surely did not bill. */
  release(key: string, attempt: number, reason: string): Promise<void>;
  /** May have been billed: settled at the estimate. */
  markAmbiguous(key: string, attempt: number, reason: string): Promise<void>;
}
