import { APIConnectionError, APIError } from 'openai';
import type { ModelSpec } from '../../contract/campaign.js';
import type { FailureType } from '../../contract/failure.js';
import { DomainFailure } from '../../domain/domain-failure.js';
import { UnusableAnswer } from '../../domain/unusable-answer.js';
import { ReplyTooLong } from './limited-fetch.js';
import { retryAfterMs } from './rate-headers.js';
import { redacted } from './redact.js';

/** A reply that began and did not end: may have been billed. */
export class CutReply extends Error {
  override readonly name = 'CutReply';
}

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
/** How trials that errored are run again; they have ended, so `resume` leaves them as they are. */
export const AGAIN = 'npx durabench retry ID --errored';
/** A server may ask for a pause; a wrong one must not stop a campaign for days. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Everything the client throws → one failure with its billing class. */
export function failureOf(error: unknown, end: RequestEnd): DomainFailure {
  if (error instanceof DomainFailure) return error;
  const where = `${end.spec.name} at ${hostOf(end.spec.baseUrl)}`;
  if (end.aborted) return ambiguous(`The request to ${where} was stopped before its answer came.`, error);
  if (end.timedOut) return ambiguous(`${where} did not finish its answer within ${end.spec.timeoutSeconds} s.`, error);
  if (causes(error).some((cause) => cause instanceof ReplyTooLong)) return tooLong(where, error);
  if (hasStatus(error)) return statusFailure(error, where, end.key);
  if (isRefusedLocally(error)) return notSent(end.spec.name, error);
  const code = connectCode(error);
  if (code !== null) return unreachable(where, code, error);
  if (error instanceof APIError && !(error instanceof APIConnectionError))
    return ambiguous(`${where} broke off its answer with an error: ${redacted(error.message, end.key)}`);
  return ambiguous(`The connection to ${where} broke before the answer was complete (${causeText(error)}).`, error);
}

/** True for a complete error reply of the endpoint. */
function hasStatus(error: unknown): error is APIError<number, Headers> {
  return error instanceof APIError && error.status !== undefined;
}

function statusFailure(error: APIError<number, Headers>, where: string, key: string | null): DomainFailure {
  const { status } = error;
  const type = typeOfStatus(status, `${error.code ?? ''} ${error.type ?? ''} ${error.message}`);
  const asked = retryAfterMs(error.headers);
  const waitMs = asked === null ? null : Math.min(asked, MAX_RETRY_AFTER_MS);
  const words = redacted(error.message, key);
  return new DomainFailure(type, `${where} answered ${status}: ${words}${mending(type)}`, {
    // No cause: the client's error holds the provider's words as they came, and a log would print them.
    ...(waitMs === null ? {} : { retryAfterMs: waitMs }),
  });
}

function typeOfStatus(status: number, words: string): FailureType {
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

function mending(type: FailureType): string {
  if (type === 'model.unauthorized') return ` Check the key and the account, then run: ${AGAIN}`;
  if (type === 'model.bad-request') return ' Check the model name and the base URL in the campaign file.';
  return '';
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

/** It was answered and most likely billed, but nobody can use it. */
function tooLong(where: string, error: unknown): DomainFailure {
  const why = error instanceof Error ? error.message : String(error);
  return new UnusableAnswer(`${where} said too much: ${why}.`, { usage: null, providerRequestId: null });
}

/** Neither the address nor the cause is repeated: both may hold a password. */
function notSent(name: string, error: unknown): DomainFailure {
  const port = causes(error).some((cause) => /^bad port/i.test(cause.message));
  const what = port ? 'its port is one that fetch blocks' : 'its base_url is none that a request can be sent to';
  return new DomainFailure(
    'model.bad-request',
    `Nothing was sent to ${name}: ${what}. Allowed: an http(s) address without user name and password, ` +
      'on a port of its own. Mend base_url in the campaign file.',
    { billing: 'none' },
  );
}

function unreachable(where: string, code: string, cause: unknown): DomainFailure {
  return new DomainFailure(
    'model.unreachable',
    `${where} cannot be reached (${code}). Durabench keeps trying; check that the endpoint is up and base_url is right.`,
    { billing: 'none', cause },
  );
}

function ambiguous(message: string, cause?: unknown): DomainFailure {
  return new DomainFailure('model.ambiguous', message, { billing: 'ambiguous', cause });
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

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'an invalid base URL';
}
