import type { EvidenceRef } from '../contract/evidence.js';
import type { Failure } from '../contract/failure.js';
import type { Json } from '../contract/json.js';
import type { ModelSpec } from '../contract/campaign.js';
import type { AccountRef, CallOwner } from '../contract/stage.js';

/** Money in integer micro-dollars, tokens beside it. */
export interface Amount {
  microUsd: number;
  tokens: number;
}

/** A limit in micro-dollars and tokens; null = none. */
export interface AmountLimit {
  microUsd: number | null;
  tokens: number | null;
}

/** Where a budget stands. */
export interface BudgetStanding {
  limit: AmountLimit;
  settled: Amount;
  /** By calls under way. */
  reserved: Amount;
}

/**
 * Budgets nest, narrow to wide. `campaign`, `build` and `installation` are the operator's: reaching one stops the campaign
 * or ends the step of the build. The others are part of a system: reaching one ends that generation, trial or system, and
 * its candidate is final.
 */
export type BudgetScope = 'trial' | 'generation' | 'system' | AccountRef['kind'] | 'installation';

/** A limit of the asking system itself. */
export interface SystemLimit {
  scope: Exclude<BudgetScope, AccountRef['kind'] | 'installation'>;
  /** Trial or generation id, or `<campaign>/<system>`. */
  id: string;
  limit: AmountLimit;
}

/** What is known of a logical call. */
export type CallState =
  | { state: 'new' }
  | { state: 'answered'; responseRef: EvidenceRef }
  /** Another live worker has it in flight. What the asking worker itself left open is cleaned up instead: it joins calls in its own process before it looks up. */
  | { state: 'in-flight'; worker: string }
  /** Its request waits to go out in a provider batch, or for the end of one; since so long. */
  | { state: 'batched'; waitedMs: number }
  /**
   * Earlier sends ended without an answer; `ambiguous` counts those that may have been billed, `lost` holds those among them
   * that had begun to be answered, the last one first. `refusal`: what the provider batch of the last one ended with.
   */
  | { state: 'unanswered'; ambiguous: number; lost: readonly LostSend[]; refusal?: BatchRefusal };

/** What a provider batch brought a call in the place of an answer. */
export interface BatchRefusal {
  attempt: number;
  failure: Failure;
  /** The run of its owner that was told; null: none yet. */
  toldRun: number | null;
}

/** A send whose answer began and got lost. */
export interface LostSend {
  attempt: number;
  /** What the provider calls the answer. */
  completionId: string;
  /** Since it was found to be lost. */
  lostForMs: number;
}

/** One reservation: a send of a call, before the request goes out. */
export interface Reservation {
  key: string;
  /** Whose money it is. */
  account: AccountRef;
  /** The account's; a stale one reserves nothing. */
  epoch: number;
  owner: CallOwner;
  stage: string;
  step: string;
  purpose: string;
  /** Key into the account's models. */
  model: string;
  requestRef: EvidenceRef;
  estimate: Amount;
  /** Worker instance id, with a lease row. */
  worker: string;
  /** It goes out in a provider batch: no worker holds it, and it outlives the one that asks. */
  isBatched?: boolean;
  /** Limits of the system that this call counts in, narrow to wide. The operator's limits always apply. */
  systemLimits?: readonly SystemLimit[];
  /** Hash of what is asked, without who asks: under it other campaigns find the answer. Absent or null: they do not. */
  question?: string | null;
}

/** An answer that another campaign got to the same question. */
export interface ReusableAnswer {
  /** The call that was sent for it; whoever took its answer over passes it on under this key. */
  from: string;
  responseRef: EvidenceRef;
}

/** A call that is answered with what another campaign got. */
export interface ReusedCall
  extends Omit<Reservation, 'estimate' | 'worker' | 'isBatched' | 'systemLimits' | 'question'>, ReusableAnswer {
  question: string;
  /** What sending it would have cost. */
  saved: Amount;
}

/** Result of taking an answer over. `taken`: another trial of the campaign has it; `in-flight`: somebody else began the call. */
export type ReuseResult = 'reused' | 'taken' | 'in-flight' | 'superseded';

/** Result of reserving. */
export type ReserveResult =
  | { status: 'reserved'; attempt: number }
  /** Settled money and this estimate together pass the limit of `scope`: no waiting helps. Where it is the operator's, a campaign is marked: nothing more of it is admitted. */
  | { status: 'exhausted'; scope: BudgetScope; budget: BudgetStanding }
  /** The money of `scope` is reserved by others: wait for their settles. */
  | { status: 'contended'; scope: BudgetScope }
  /** The epoch is stale: somebody else has opened the account. */
  | { status: 'superseded' }
  /** Somebody else reserved or answered this call since the look-up: look again. */
  | { status: 'in-flight' };

/** What came back for a send, with its true price. */
export interface Settlement {
  actual: Amount;
  providerRequestId: string | null;
  /** False: the provider sent no usage, or one that cannot be; `actual` is the estimate. */
  usageReported: boolean;
  /** What the provider claimed, and why that cannot be. Absent where it can, and where nothing was claimed. */
  implausible?: { problem: string; claimed: Json };
  /** The answer was lost, and fetched by its id. */
  isRecovered?: boolean;
}

/**
 * Budgets, calls and sends. Every method is one short transaction and may be repeated. A store that cannot be reached
 * is `records.unavailable`.
 */
export interface Ledger {
  /** Look-up; also ends sends of dead workers: never sent → released, else → ambiguous, settled at their estimate. */
  callState(key: string, worker: string): Promise<CallState>;
  reserve(reservation: Reservation): Promise<ReserveResult>;
  /** Written before the request goes out. Fails with `call.in-flight` when the reservation was taken away meanwhile: then nothing may be sent. */
  markSent(key: string, attempt: number): Promise<void>;
  /**
   * An answer that another campaign got to this question and this one has not had yet, neither from there nor as its own;
   * null where there is none. The oldest one first.
   */
  reusableAnswer(account: AccountRef, question: string): Promise<ReusableAnswer | null>;
  /** Answers a call that was never begun with such an answer: nothing is reserved, sent or charged. */
  reuse(call: ReusedCall): Promise<ReuseResult>;
  /** An answered call was asked again, and answered from the record: nothing was sent or paid for it. */
  noteReplay(key: string): Promise<void>;
  /** What the provider calls the answer that has begun: should the rest get lost, it can be fetched. */
  noteCompletion(key: string, attempt: number, completionId: string): Promise<void>;
  /**
   * Stores the answer and settles in one transaction; never refused for a stale epoch. An answer that comes late
   * replaces the estimate it was settled at. Returns the answer that stands: the call's first.
   */
  settle(key: string, attempt: number, answer: Settlement & { responseRef: EvidenceRef }): Promise<EvidenceRef>;
  /** Charges a send that brought no answer but a known usage; the call stays unanswered. */
  charge(key: string, attempt: number, settlement: Settlement, reason: string): Promise<void>;
  /** The provider surely did not bill. */
  release(key: string, attempt: number, reason: string): Promise<void>;
  /** May have been billed: settled at the estimate. */
  markAmbiguous(key: string, attempt: number, reason: string): Promise<void>;
  /** What a provider batch brought in the place of an answer, kept for whoever asks; written before the send is ended. */
  noteRefusal(key: string, attempt: number, failure: Failure): Promise<void>;
  /** That this run of the call's owner is told of it. */
  noteTold(key: string, attempt: number, run: number): Promise<void>;
  /**
   * Sets the operator's limit of an account, or of the whole installation (null), from now on; what was spent before
   * counts. `soft` = share of the limit at which nothing more of a campaign is admitted, null = none.
   */
  setLimit(account: AccountRef | null, limit: AmountLimit & { soft: number | null }): Promise<void>;
  /** Calls of an account that may have been billed more than once: two or more sends settled or ambiguous. */
  repeatedCalls(account: AccountRef): Promise<number>;
}

/** Requests of a campaign to one model that go to its provider as one file. */
export interface ProviderBatch {
  /** Ours; the provider has it among the batch's metadata, by which it is found again. */
  id: string;
  campaignId: string;
  /** As the campaign has it now, at the endpoint it had when the batch was formed. */
  model: ModelSpec;
  /** Of its `batchApi` then. */
  priceFactor: number;
  /** What the provider calls it; null: it is not known to be there. */
  providerId: string | null;
  ageMs: number;
  /** Since the last try to create it began; null: none was made. */
  triedForMs: number | null;
  /** False once its campaign is cancelled or has ended: it is to be cancelled. */
  isWanted: boolean;
}

/** An open send of a provider batch. */
export interface BatchedSend {
  key: string;
  attempt: number;
  requestRef: EvidenceRef;
  estimate: Amount;
}

/**
 * Provider batches, from the requests that wait for one to its end. Each is dealt with by one worker at a time, which holds it
 * until it leaves it or its lease is gone. Every method is one short transaction; `records.unavailable` as of the ledger.
 */
export interface ProviderBatches {
  /** Forms batches of what has waited long enough, and releases what waits for a campaign that is cancelled or has ended. */
  form(): Promise<void>;
  /** One that is due, held by this worker from now on; null: none is. */
  take(worker: string): Promise<ProviderBatch | null>;
  sends(id: string): Promise<BatchedSend[]>;
  /** Written before the request that creates it. Fails with `call.in-flight` where the worker no longer holds it. */
  noteTry(id: string, worker: string): Promise<void>;
  /** False where the worker no longer holds it: somebody else creates it, or has. */
  noteCreated(id: string, worker: string, providerId: string): Promise<boolean>;
  /** Due again after so long. `answered`: as the provider counts; `problem`: why nothing came of it this time. */
  leave(id: string, worker: string, how: { againMs: number; answered?: number; problem?: string }): Promise<void>;
  /** All its sends have ended. */
  end(id: string, worker: string): Promise<void>;
}
