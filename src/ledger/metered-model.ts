import type { EvidenceRef } from '../contract/evidence.js';
import type { FailureType } from '../contract/failure.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { isCut } from '../domain/failure/answer-end.js';
import { UnusableAnswer } from '../domain/failure/unusable-answer.js';
import { amountText } from '../domain/text/amount-text.js';
import type { Blobs } from '../ports/blobs.js';
import type { Ledger } from '../ports/ledger.js';
import type { AskedAnswer, Asker, Model, ModelAnswer, Question } from '../ports/model.js';
import { createSingleFlight } from './single-flight.js';
import { abandonedCall, mostAmbiguous } from './abandoned-call.js';
import type { Limiter } from '../limiter/limiter.js';
import type { Permit } from '../limiter/permit.js';
import { batchedCall, tellRefusal } from './batched-call.js';
import { believed, bookAnswer, bookFailure } from './booked-answer.js';
import { prepareCall, type PreparedCall } from './prepared-call.js';
import { recoveredAnswer } from './recovered-answer.js';
import { callInFlight, exhausted, supersededBy } from './refused-call.js';
import { reusedAnswer } from './reused-answer.js';
import { parseCompletion } from './stored-answer.js';
import { retryUntilPersisted, retryBriefly } from './retry-until-persisted.js';

/** When to ask again for money that others have reserved. */
const CONTENDED_MS = 2_000;

/** Failures of a provider that pass by themselves; the limiter says when to try again. */
const PASSING: readonly FailureType[] = [
  'model.rate-limited',
  'model.server-error',
  'model.unreachable',
  'model.ambiguous',
];

/** What the metered model is built from. */
export interface MeteredModelParts {
  model: Model;
  ledger: Ledger;
  blobs: Blobs;
  /** This worker's instance id. Its lease must be in the records before the first question. */
  worker: string;
  /** Absent: everything is sent at once, and a provider's refusals are only passed on. */
  limiter?: Limiter;
  /** For how long after a send was lost its answer may still be in the making. */
  mayComeMs?: number;
}

/** An answer, with its prompt and completion as evidence for the step that asked. */
interface MeteredAnswer {
  answer: AskedAnswer;
  evidence: EvidenceRef[];
}

/** Asks models through the ledger. */
export interface MeteredModel {
  /**
   * Where the answer to messages is cut at a cap of the question's own, it is asked for once more with the model's, as another
   * call; a body says itself what cap it wants.
   * Same asker's place, ordinal, prompt and request → paid once, answered from the record afterwards. Where the campaign
   * asks for it (`reuseAnswers`), the first time too, with what another campaign got to the same question.
   * @throws DomainFailure of the model, `budget.*`, `call.in-flight`, `operator.superseded` or `records.unavailable`
   */
  ask(asker: Asker, question: Question): Promise<MeteredAnswer>;
}

/** One call, paid once (docs/concepts/architecture.md, "Money"): look up, join, fetch what was lost, reserve, write the send, send, store and settle. */
export function createMeteredModel(parts: MeteredModelParts): MeteredModel {
  const singleFlight = createSingleFlight<MeteredAnswer>();
  return {
    async ask(asker, question) {
      const { maxOutputTokens: own, ...wider } = question;
      const ask = async (asked: Question): Promise<Asked> => {
        const call = prepareCall(asker, asked);
        return {
          call,
          ...(await singleFlight.join(call.key, asker.signal, (signal) => answered(parts, call, signal))),
        };
      };
      const { call, ...first } = await ask(question);
      const { maxOutputTokens: cap } = call.request;
      if (
        own === undefined ||
        question.body !== undefined ||
        cap === call.model.maxOutputTokens ||
        !isCut(first.answer, cap)
      )
        return first;
      // The question's cap was our guess; the model's is what the operator allows.
      const { answer, evidence } = await ask(wider);
      return { answer, evidence: [...first.evidence, ...evidence] };
    },
  };
}

type Asked = MeteredAnswer & { call: PreparedCall };

async function answered(parts: MeteredModelParts, call: PreparedCall, signal: AbortSignal): Promise<MeteredAnswer> {
  const known = await parts.ledger.callState(call.key, parts.worker);
  if (known.state === 'answered') return replayed(parts, call, known.responseRef);
  if (known.state === 'in-flight') throw callInFlight(`Worker ${known.worker} has this call in flight.`);
  if (known.state === 'batched') throw batchedCall(call, known.waitedMs);
  // What was sent once may still be answered, and may have been paid: it is this campaign's own.
  const reused = known.state === 'new' ? await reusedAnswer(parts, call) : null;
  if (reused !== null) return { answer: reused.answer, evidence: evidenceOf(call, reused.responseRef) };
  const { ambiguous, lost, refusal } =
    known.state === 'unanswered' ? known : { ambiguous: 0, lost: [], refusal: undefined };
  if (refusal !== undefined) await tellRefusal(parts.ledger, call, refusal);
  const recovered = await recoveredAnswer(parts, call, lost, signal);
  if (recovered !== null)
    return settled(parts, call, { ...recovered, answer: believed(call, recovered.answer), isRecovered: true });
  if (ambiguous >= mostAmbiguous(call)) throw abandonedCall(call, ambiguous);
  return call.isBatched ? queued(parts, call) : paid(parts, call, ambiguous, signal);
}

async function replayed(
  parts: MeteredModelParts,
  call: PreparedCall,
  responseRef: EvidenceRef,
): Promise<MeteredAnswer> {
  const { answer, evidence } = await stored(parts, call, responseRef);
  // For reports: the answer counts, whether or not this is written. That of a provider batch is always read from the record.
  if (!call.isBatched) await parts.ledger.noteReplay(call.key).catch(() => undefined);
  return { answer: { ...answer, isReplayed: true }, evidence };
}

/** Reserved, and kept for a provider batch: whoever asks comes back for the answer, and holds nothing meanwhile. */
async function queued(parts: MeteredModelParts, call: PreparedCall): Promise<never> {
  await parts.blobs.put(call.prompt.bytes, call.prompt.label);
  await reserved(parts, call);
  throw batchedCall(call, 0);
}

async function paid(
  parts: MeteredModelParts,
  call: PreparedCall,
  ambiguous: number,
  signal: AbortSignal,
): Promise<MeteredAnswer> {
  await parts.blobs.put(call.prompt.bytes, call.prompt.label);
  // Before the money: what waits for its turn must not keep others from theirs.
  const permit = await permitted(parts, call, signal);
  const attempt = await reserved(parts, call).catch(async (error: unknown) => {
    permit?.unused();
    if (error instanceof DomainFailure && error.type === 'records.unavailable') await nothingReserved(parts, call);
    throw error;
  });
  const answer = await sent(parts, call, { attempt, ambiguous, signal, permit });
  return settled(parts, call, { attempt, answer });
}

async function permitted(
  { limiter }: MeteredModelParts,
  call: PreparedCall,
  signal: AbortSignal,
): Promise<Permit | undefined> {
  const { model, label, asker } = call;
  const { account, spec } = asker;
  return limiter?.permit(model, { call: label.call, campaign: account.id, ceiling: spec.concurrency.model, signal });
}

async function reserved({ ledger, worker }: MeteredModelParts, call: PreparedCall): Promise<number> {
  const { account, epoch, owner, stage, step } = call.asker;
  const result = await ledger.reserve({
    ...{ key: call.key, account, epoch, owner, stage, step, worker },
    ...{ purpose: call.purpose, model: call.modelKey, requestRef: call.prompt.ref, estimate: call.estimate },
    ...(call.isBatched && { isBatched: true }),
    systemLimits: call.systemLimits,
    question: call.question,
  });
  switch (result.status) {
    case 'reserved':
      return result.attempt;
    case 'exhausted':
      throw exhausted(result, call);
    case 'contended':
      throw new DomainFailure(
        'budget.contended',
        `The rest of the budget of the ${result.scope} is reserved by calls under way. This call may cost ${amountText(call.estimate)}.`,
        { retryAfterMs: CONTENDED_MS },
      );
    case 'superseded':
      throw supersededBy(call);
    case 'in-flight':
      throw callInFlight();
  }
}

/**
 * A store that went away may have reserved without saying so. This worker lives on, so everybody else would wait for
 * its call, and its money stay reserved: the look-up ends what the asking worker itself left open. Only while nobody
 * else in this process can have taken the call up.
 */
async function nothingReserved({ ledger, worker }: MeteredModelParts, call: PreparedCall): Promise<void> {
  await retryBriefly(() => ledger.callState(call.key, worker));
}

interface Sending {
  attempt: number;
  /** Ambiguous sends before this one. */
  ambiguous: number;
  signal: AbortSignal;
  permit: Permit | undefined;
}

async function sent({ model, ledger }: MeteredModelParts, call: PreparedCall, sending: Sending): Promise<ModelAnswer> {
  const { attempt, ambiguous, signal, permit } = sending;
  try {
    await marked(ledger, call, attempt, signal);
  } catch (error) {
    permit?.unused();
    throw error;
  }
  let hasBegun = false;
  const begun = async (completionId: string): Promise<void> => {
    hasBegun = await noted(ledger, call, attempt, completionId);
  };
  try {
    const answer = believed(call, await model.complete(call.model, call.request, signal, { label: call.label, begun }));
    await permit?.answered(answer);
    return answer;
  } catch (error) {
    await retryUntilPersisted(() => bookFailure(ledger, call, attempt, error)).catch((problem: unknown) => {
      permit?.unused();
      throw problem;
    });
    const paced = await inItsTurn(error, sending);
    const lost = !(error instanceof DomainFailure) || (error.billing === 'ambiguous' && !hasUsage(error));
    // What has begun may be fetched: that is the next attempt's to find out.
    if (lost && !hasBegun && ambiguous + 1 >= mostAmbiguous(call)) throw abandonedCall(call, ambiguous + 1, error);
    throw paced;
  }
}

/** Whether the id of the answer that begins is recorded. It is worth a try, and not the answer itself. */
async function noted(ledger: Ledger, call: PreparedCall, attempt: number, completionId: string): Promise<boolean> {
  return ledger.noteCompletion(call.key, attempt, completionId).then(
    () => true,
    () => false,
  );
}

/** Written before the request goes out. A send that does not go out after all is released, whatever kept it. */
async function marked(ledger: Ledger, call: PreparedCall, attempt: number, signal: AbortSignal): Promise<void> {
  try {
    signal.throwIfAborted();
    await retryBriefly(() => ledger.markSent(call.key, attempt));
    signal.throwIfAborted();
  } catch (error) {
    await retryUntilPersisted(() => ledger.release(call.key, attempt, 'stopped before it was sent'));
    throw error;
  }
}

/** The failure with the time at which the call should be sent again, where the limiter knows one. */
async function inItsTurn(error: unknown, { permit, signal }: Sending): Promise<unknown> {
  if (!permit || signal.aborted || !(error instanceof DomainFailure)) {
    permit?.unused();
    return error;
  }
  const retryAfterMs = await permit.failed(error);
  return PASSING.includes(error.type) ? error.with({ retryAfterMs }) : error;
}

/** The answer is in the store and in the ledger before anything uses it. */
async function settled(
  parts: MeteredModelParts,
  call: PreparedCall,
  paid: { attempt: number; answer: ModelAnswer; isRecovered?: boolean },
): Promise<MeteredAnswer> {
  // One write: whoever goes on with it after the caller's patience must come as far as the ledger.
  const { standing, own } = await retryUntilPersisted(() => bookAnswer(parts, call, paid));
  if (standing.sha256 !== own.sha256) return stored(parts, call, standing);
  return { answer: paid.answer, evidence: [call.prompt.ref, own] };
}

async function stored(
  { blobs }: Pick<MeteredModelParts, 'blobs'>,
  call: PreparedCall,
  responseRef: EvidenceRef,
): Promise<MeteredAnswer> {
  const answer = parseCompletion(await blobs.get(responseRef.sha256), responseRef);
  return { answer, evidence: evidenceOf(call, responseRef) };
}

/** Prompt and completion by the names that they have for whoever asked. */
const evidenceOf = ({ prompt, completionName }: PreparedCall, responseRef: EvidenceRef): EvidenceRef[] => [
  prompt.ref,
  { ...responseRef, name: completionName },
];

function hasUsage(error: unknown): boolean {
  return error instanceof UnusableAnswer && error.usage !== null;
}
