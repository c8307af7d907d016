import { APIConnectionError, APIError } from 'openai';
import { z } from 'zod';
import type { ModelSpec } from '../../contract/campaign.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { UnusableAnswer } from '../../domain/failure/unusable-answer.js';
import type { ModelAnswer } from '../../ports/model.js';
import { ReplyTooLong } from './limited-fetch.js';
import { modelProblem, placeOf, type ModelFailureType } from './model-problems.js';
import { retryAfterMs } from './rate-headers.js';
import { redacted } from './redact.js';

/** A reply that began and did not end: may have been billed. */
export class CutReply extends Error {
  override readonly name = 'CutReply';
}

/** A reply that is complete, but holds no answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly reply: AnswerDetails;

  constructor(why: string, reply: AnswerDetails) {
    super(why);
    this.reply = reply;
  }
}

/** A reply that begins as an answer, with a status of success, and tells an error instead: what a router's own provider refused. */
export class ErrorInReply extends Error {
  override readonly name = 'ErrorInReply';

  constructor(readonly words: ErrorWords) {
    super(words.message);
  }
}

/** What even such a reply may tell. */
type AnswerDetails = Pick<ModelAnswer, 'usage' | 'claimedUsage' | 'providerRequestId'>;

/** What is known about a request that failed. */
export interface RequestEnd {
  spec: ModelSpec;
  /** Only to cut it out of messages. */
  key: string | null;
  timedOut: boolean;
  aborted: boolean;
}

/** Before these, no byte of the request has left: connect, DNS and TLS errors. */
const BEFORE_THE_REQUEST =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|ERR_SSL_\w+|EPROTO|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$/;

/** What `fetch` says of a request it does not even try: credentials in the address, a blocked port, no URL, no HTTP. */
const REFUSED_BY_FETCH =
  /^(bad port|invalid method|unknown scheme|URL scheme must be|Failed to parse URL|Request cannot be constructed)/i;
/** A server may ask for a pause; a wrong one must not stop a campaign for days. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Everything the client throws → one failure with its billing class. */
export function failureOf(error: unknown, end: RequestEnd): DomainFailure {
  if (error instanceof DomainFailure) return error;
  const { spec, key } = end;
  const where = placeOf(spec);
  const ambiguous = (what: string, cause?: unknown): DomainFailure =>
    new DomainFailure('model.ambiguous', modelProblem('model.ambiguous', what, spec), { billing: 'ambiguous', cause });
  // It was answered and most likely billed, but nobody can use it.
  const unusable = (what: string, reply: AnswerDetails): DomainFailure =>
    new UnusableAnswer(modelProblem('model.bad-answer', what, spec), reply);
  if (error instanceof NoAnswer) return unusable(`${where} sent a whole reply, but ${error.message}`, error.reply);
  if (error instanceof ErrorInReply) {
    const status = statusIn(error.words);
    if (status !== null) return refusalOf(status, error.words, end);
    const told = `${where} sent an error for an answer: ${redacted(error.message, key)}`;
    return unusable(told, { usage: null, providerRequestId: null });
  }
  if (end.aborted) return ambiguous(`the request to ${where} was stopped before its answer came`, error);
  if (end.timedOut) return ambiguous(`${where} did not finish its answer within ${spec.timeoutSeconds} s`, error);
  const tooLong = causes(error).find((cause) => cause instanceof ReplyTooLong);
  if (tooLong) return unusable(`${where} said too much: ${tooLong.message}`, { usage: null, providerRequestId: null });
  if (hasStatus(error)) return statusFailure(error, end);
  if (isRefusedLocally(error)) return notSent(spec, error);
  const code = connectCode(error);
  if (code !== null) return unreachable(spec, code, error);
  if (error instanceof APIError && !(error instanceof APIConnectionError))
    return ambiguous(`${where} broke off its answer with an error: ${redacted(error.message, key)}`);
  return ambiguous(
    `the connection to ${where} broke before the answer was complete (${redacted(causeText(error), key)})`,
    error,
  );
}

/** True for a complete error reply of the endpoint. */
function hasStatus(error: unknown): error is APIError<number, Headers> {
  return error instanceof APIError && error.status !== undefined;
}

function statusFailure(error: APIError<number, Headers>, end: RequestEnd): DomainFailure {
  const { status, code, type, message, headers } = error;
  const asked = retryAfterMs(headers);
  // The client puts the status before the words.
  const failure = refusalOf(status, { code, type, message: message.replace(`${status} `, '') }, end);
  return asked === null ? failure : failure.with({ retryAfterMs: Math.min(asked, MAX_RETRY_AFTER_MS) });
}

/** What an endpoint says of an error. */
export const wordsSchema = z.looseObject({
  code: z.union([z.string(), z.int()]).nullish().catch(null),
  type: z.string().nullish().catch(null),
  message: z.string().catch('no message'),
});
export type ErrorWords = z.output<typeof wordsSchema>;

/** What stands under `error` in a body, a line of a batch, or what the client throws for an error in a stream. */
export const errorIn = (told: unknown): ErrorWords | undefined =>
  z.object({ error: wordsSchema }).safeParse(told).data?.error;

/** The status that an error has for its code, where that is one. */
export const statusIn = ({ code }: ErrorWords): number | null =>
  typeof code === 'number' && code >= 400 && code <= 599 ? code : null;

/** A complete error reply. No cause: it would hold the provider's words as they came, and a log would print them. */
export function refusalOf(
  status: number,
  { code, type: kind, message: words }: ErrorWords,
  { spec, key }: Pick<RequestEnd, 'spec' | 'key'>,
): DomainFailure {
  const type = typeOfStatus(status, `${code ?? ''} ${kind ?? ''} ${words}`);
  const message = `${placeOf(spec)} answered ${status}: ${redacted(words, key)}`;
  return new DomainFailure(type, modelProblem(type, message, spec));
}

function typeOfStatus(status: number, words: string): ModelFailureType {
  if (status === 408 || status === 409 || status >= 500) return 'model.server-error';
  // An account without credit stays so until its owner acts: waiting out the 30 days of a rate limit would hide it.
  if (status === 402 || /insufficient_quota|billing_hard_limit/.test(words)) return 'model.unauthorized';
  if (status === 429) return 'model.rate-limited';
  if (/content_policy|content_filter|content management policy|moderation/i.test(words)) return 'model.content-policy';
  if (/context_length|context length|context window|maximum context|prompt is too long|too many tokens/i.test(words))
    return 'model.context-length';
  if (status === 401 || status === 403) return 'model.unauthorized';
  return 'model.bad-request';
}

/** True where no connection was tried. The client wraps what `fetch` throws, or hands an invalid URL on as it is. */
function isRefusedLocally(error: unknown): boolean {
  return causes(error).some(
    (cause) =>
      (cause as { code?: unknown }).code === 'ERR_INVALID_URL' ||
      (isNoReply(cause) && REFUSED_BY_FETCH.test(cause.message)),
  );
}

/** Not the words of an endpoint, which could say anything. */
const isNoReply = (error: Error): boolean => !(error instanceof APIError) || error instanceof APIConnectionError;

/** Neither the address nor the cause is repeated: both may hold a password. */
function notSent(spec: ModelSpec, error: unknown): DomainFailure {
  const port = causes(error).some((cause) => /^bad port/i.test(cause.message));
  const why = port ? 'its port is one that fetch blocks' : 'its base_url is none that a request can be sent to';
  const problem = modelProblem('model.bad-request', `nothing was sent to ${spec.name}: ${why}`, spec);
  return new DomainFailure('model.bad-request', problem, { billing: 'none' });
}

function unreachable(spec: ModelSpec, code: string, cause: unknown): DomainFailure {
  const problem = modelProblem('model.unreachable', `${placeOf(spec)} cannot be reached (${code})`, spec);
  return new DomainFailure('model.unreachable', problem, { billing: 'none', cause });
}

/** The code of a connect, DNS or TLS error somewhere in the chain of causes, or null. */
function connectCode(error: unknown): string | null {
  for (const cause of causes(error)) {
    const { code, syscall } = cause as { code?: unknown; syscall?: unknown };
    if (typeof code !== 'string') continue;
    if (BEFORE_THE_REQUEST.test(code) || syscall === 'connect') return code;
  }
  return null;
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  let next: unknown = error;
  while (next instanceof Error && chain.length < 8) {
    chain.push(next);
    // Both address families refused: Node reports the pair.
    next = next.cause ?? (next instanceof AggregateError ? next.errors[0] : undefined);
  }
  return chain;
}

function causeText(error: unknown): string {
  const last = causes(error).at(-1);
  if (!last) return String(error).slice(0, 200);
  const { code } = last as { code?: unknown };
  return typeof code === 'string' ? code : last.message.slice(0, 200);
}
