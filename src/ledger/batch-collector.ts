import { DomainFailure } from '../domain/failure/domain-failure.js';
import { FAILURE_TABLE } from '../domain/failure/failure-table.js';
import { batchPrice } from '../domain/limits/prices.js';
import type { Blobs } from '../ports/blobs.js';
import type { BatchedSend, Ledger, ProviderBatch, ProviderBatches } from '../ports/ledger.js';
import type { BatchApi, BatchEnd, BatchRequest, ModelAnswer } from '../ports/model.js';
import { believed, bookAnswer, bookFailure, type SentCall } from './booked-answer.js';
import { callName } from './call-key.js';
import { parsePrompt } from './stored-answer.js';

/** For so long a batch that was created may be missing in the provider's list: until then it is not created once more. */
const MAY_COME_MS = 30_000;
/** How soon a provider is asked again: a tenth of the time the batch has taken, within bounds. */
const AGAIN = { share: 0.1, soonestMs: 5_000, latestMs: 60_000 };

/** What deals with provider batches is built from. */
export interface BatchCollectorParts {
  api: BatchApi<DomainFailure>;
  ledger: Ledger;
  batches: ProviderBatches;
  blobs: Blobs;
  /** This worker's instance id. */
  worker: string;
  report: (event: BatchEvent) => void;
  mayComeMs?: number;
}

/** What happened to a provider batch. */
type BatchEvent =
  | { batch: string; campaign: string; what: 'created' | 'found' | 'cancelled'; providerId: string }
  | { batch: string; campaign: string; what: 'ended'; answered: number; refused: number };

/** A batch this worker holds, and what it holds it with. */
interface Held extends BatchCollectorParts {
  batch: ProviderBatch;
  signal: AbortSignal;
}

/** Null: the batch has ended. */
type Step = { againMs: number; answered?: number; problem?: string } | null;

/**
 * One pass over the provider batches of all campaigns: forms those that are due, creates them at their providers, looks after
 * open ones, and enters what came in the ledger. A worker that dies anywhere leaves a batch that the next one goes on with: what may have
 * been created is looked for before it is created again, and an answer is booked once, whoever reads it how often.
 */
export async function collectBatches(parts: BatchCollectorParts, signal: AbortSignal): Promise<void> {
  const { batches, worker } = parts;
  await batches.form();
  while (!signal.aborted) {
    const batch = await batches.take(worker);
    if (batch === null) return;
    const step = await attended({ ...parts, batch, signal });
    if (step === null) await batches.end(batch.id, worker);
    else await batches.leave(batch.id, worker, step);
  }
}

/** A step further; whatever hinders it is told by the record, and it is tried again. */
async function attended(held: Held): Promise<Step> {
  try {
    return held.batch.providerId === null ? await brought(held) : await looked(held, held.batch.providerId);
  } catch (error) {
    const problem = error instanceof DomainFailure ? error.problem.message : String(error);
    return { againMs: againMs(held.batch), problem };
  }
}

/** Creates it, unless it turns out to be there. */
async function brought(held: Held): Promise<Step> {
  const { api, batches, batch, worker, signal, mayComeMs = MAY_COME_MS } = held;
  const { id, model, triedForMs, isWanted } = batch;
  if (triedForMs !== null) {
    const providerId = await api.find(model, id, signal);
    if (providerId !== null) return known(held, providerId, 'found');
    if (triedForMs < mayComeMs) return { againMs: mayComeMs - triedForMs };
  }
  const sends = await batches.sends(id);
  if (!isWanted || sends.length === 0) return refused(held, sends, notSent());
  const requests = await Promise.all(sends.map((send) => requestOf(held, send)));
  await batches.noteTry(id, worker);
  try {
    return await known(held, await api.create(model, id, requests, signal), 'created');
  } catch (error) {
    if (error instanceof DomainFailure && isFinal(error)) return refused(held, sends, error);
    throw error;
  }
}

const notSent = (): DomainFailure => new DomainFailure('operator.cancelled', 'Nobody waits for this call any more.');

/** The provider refused it for good: no batch came of it. */
const isFinal = ({ type, billing }: DomainFailure): boolean =>
  billing === 'none' && FAILURE_TABLE[type].maxAttempts === 1;

/** Its id is written down before anything else is done with it. */
async function known(held: Held, providerId: string, what: 'created' | 'found'): Promise<Step> {
  const { api, batches, batch, worker, signal, report } = held;
  if (!(await batches.noteCreated(batch.id, worker, providerId))) {
    // Another worker took this one for dead, and goes on with a batch of its own.
    await api.cancel(batch.model, providerId, signal);
    return { againMs: 0 };
  }
  report({ batch: batch.id, campaign: batch.campaignId, what, providerId });
  return { againMs: AGAIN.soonestMs };
}

async function looked(held: Held, providerId: string): Promise<Step> {
  const { api, batch, signal, report } = held;
  const { answered, isCancelling, end } = await api.progress(batch.model, providerId, signal);
  if (end !== null) return booked(held, end);
  if (!batch.isWanted && !isCancelling) {
    await api.cancel(batch.model, providerId, signal);
    report({ batch: batch.id, campaign: batch.campaignId, what: 'cancelled', providerId });
  }
  return { againMs: againMs(batch), answered };
}

function againMs({ ageMs }: ProviderBatch): number {
  return Math.round(Math.min(AGAIN.latestMs, Math.max(AGAIN.soonestMs, ageMs * AGAIN.share)));
}

/** Enters every reply, then what became of the requests without one. */
async function booked(held: Held, end: BatchEnd<DomainFailure>): Promise<Step> {
  const { api, batches, batch, signal } = held;
  const open = new Map((await batches.sends(batch.id)).map((send) => [callName(send.key), send]));
  let answered = 0;
  let refusals = 0;
  for await (const { customId, reply } of api.replies(batch.model, end, signal)) {
    const send = open.get(customId);
    if (send === undefined) continue;
    open.delete(customId);
    if (reply instanceof DomainFailure) {
      refusals += 1;
      await refuse(held, send, reply);
    } else {
      answered += 1;
      await answer(held, send, reply);
    }
  }
  return refused(held, [...open.values()], end.unanswered, { answered, refusals });
}

/** Ends these sends, and with them the batch. */
async function refused(
  held: Held,
  sends: readonly BatchedSend[],
  failure: DomainFailure,
  before = { answered: 0, refusals: 0 },
): Promise<null> {
  const { batch, report } = held;
  for (const send of sends) await refuse(held, send, failure);
  const { answered, refusals } = before;
  const event = { batch: batch.id, campaign: batch.campaignId, answered, refused: refusals + sends.length };
  report({ ...event, what: 'ended' });
  return null;
}

async function answer(held: Held, send: BatchedSend, reply: ModelAnswer): Promise<void> {
  const call = await sentCall(held, send);
  await bookAnswer(held, call, { attempt: send.attempt, answer: believed(call, reply) });
}

/** Kept for whoever asks, then booked: a worker that dies in between does both once more. */
async function refuse(held: Held, send: BatchedSend, failure: DomainFailure): Promise<void> {
  const { ledger } = held;
  // Who comes back after a cancel is to be asked for anew.
  if (failure.type !== 'operator.cancelled') await ledger.noteRefusal(send.key, send.attempt, failure.toFailure());
  await bookFailure(ledger, await sentCall(held, send), send.attempt, failure);
}

async function requestOf({ blobs }: Held, { key, requestRef }: BatchedSend): Promise<BatchRequest> {
  return { customId: callName(key), request: parsePrompt(await blobs.get(requestRef.sha256)) };
}

async function sentCall(held: Held, send: BatchedSend): Promise<SentCall> {
  const { model, priceFactor } = held.batch;
  const { customId, request } = await requestOf(held, send);
  return {
    ...{ key: send.key, model, price: batchPrice(model.price, priceFactor), request, estimate: send.estimate },
    completionName: `completion-${customId.slice(0, 8)}.json`,
  };
}
