import { APIError, type OpenAI } from 'openai';
import { Stream } from 'openai/streaming';
import { z } from 'zod';
import type { Json, JsonObject } from '../../contract/json.js';
import type { TokenUsage } from '../../contract/token-usage.js';
import { parsedJson } from '../../domain/text/parsed-json.js';
import type { ModelAnswer } from '../../ports/model.js';
import { CutReply, errorIn, ErrorInReply, NoAnswer, statusIn } from './failures.js';
import { LONGEST_ANSWER, ReplyTooLong } from './limited-fetch.js';
import { readRate } from './rate-headers.js';
import { withoutKey } from './redact.js';
import { createReplyMessage, type ReplyMessage } from './reply-message.js';

/** What is read of a reply; everything else an endpoint adds is ignored. */
const usageSchema = z.object({
  prompt_tokens: z.number().int().nonnegative(),
  completion_tokens: z.number().int().nonnegative(),
  total_tokens: z.number().nullish(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().int().nonnegative().nullish() }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: z.number().int().nonnegative().nullish() }).nullish(),
});
const contentSchema = z.union([z.string(), z.array(z.unknown())]).nullish();
const messageSchema = z.looseObject({ content: contentSchema, refusal: z.string().nullish() });
/** An id goes into an address and into the ledger. */
const beginningSchema = z.object({ id: z.string().regex(/^[\w.:-]{1,200}$/) });
const choiceSchema = z.object({ message: messageSchema, finish_reason: z.string().nullish() });
const chunkChoiceSchema = z.object({ delta: messageSchema.nullish(), finish_reason: z.string().nullish() });

/** What reading a reply needs. */
interface Reading {
  client: OpenAI;
  signal: AbortSignal;
  /** Only to cut it out of texts. */
  key: string | null;
  /** Told the id of the answer with its first piece. */
  begun?: ((completionId: string) => Promise<void>) | undefined;
}

interface Pieces extends Counted {
  message: ReplyMessage;
  finishReason: string | null;
}

/** What a reply says of its tokens: as counts, where they read as such, and as it came. */
type Counted = Pick<ModelAnswer, 'usage' | 'claimedUsage'>;

/**
 * Reads a 2xx reply to its end, as a stream or as one JSON document, whichever the endpoint chose.
 * @throws CutReply when the stream ends before the model did; NoAnswer when it is complete but holds no answer
 */
export async function readReply(response: Response, reading: Reading): Promise<ModelAnswer> {
  const { key } = reading;
  const named = response.headers.get('x-request-id');
  const providerRequestId = named === null ? null : withoutKey(named, key);
  const streamed = (response.headers.get('content-type') ?? '').includes('text/event-stream');
  const pieces = streamed
    ? await readStream(response, reading, providerRequestId)
    : readDocument(await response.text(), providerRequestId);
  const rate = readRate(response.headers);
  return { ...answerOf(pieces, key), providerRequestId, ...(rate === undefined ? {} : { rate }) };
}

/** Reads the document of a reply that came in a provider batch. @throws NoAnswer when it holds no answer */
export function readBatched(
  document: unknown,
  { providerRequestId: named, key }: { providerRequestId: string | null; key: string | null },
): ModelAnswer {
  const providerRequestId = named === null ? null : withoutKey(named, key);
  return { ...answerOf(piecesOf(document, providerRequestId), key), providerRequestId };
}

/** Reads what a provider keeps of an answer; null where it is another one, or not complete. */
export function readKept(text: string, kept: { completionId: string; key: string | null }): ModelAnswer | null {
  if (beginningSchema.safeParse(parsedJson(text)).data?.id !== kept.completionId) return null;
  const pieces = readDocument(text, null);
  return pieces.finishReason === null ? null : { ...answerOf(pieces, kept.key), providerRequestId: null };
}

function answerOf(
  pieces: Pieces,
  key: string | null,
): Pick<ModelAnswer, 'text' | 'raw' | 'finishReason' | 'usage' | 'claimedUsage'> {
  const raw = pieces.message.raw();
  return {
    text: withoutKey(pieces.message.text(), key),
    ...(raw === undefined ? {} : { raw: JSON.parse(withoutKey(JSON.stringify(raw), key)) as JsonObject }),
    finishReason: withoutKey(pieces.finishReason ?? 'stop', key),
    ...countedIn(pieces),
  };
}

const countedIn = ({ usage, claimedUsage }: Counted): Counted => ({
  usage,
  ...(claimedUsage === undefined ? {} : { claimedUsage }),
});

async function readStream(
  response: Response,
  { client, signal, begun }: Reading,
  providerRequestId: string | null,
): Promise<Pieces> {
  const pieces: Pieces = { message: createReplyMessage(), finishReason: null, usage: null };
  let chunks = 0;
  try {
    for await (const chunk of Stream.fromSSEResponse<unknown>(response, new AbortController(), client)) {
      if (chunks === 0) await noteBeginning(chunk, begun);
      addChunk(pieces, chunk);
      chunks += 1;
      if (pieces.message.size() > LONGEST_ANSWER) throw new ReplyTooLong('the answer is longer than any answer may be');
    }
  } catch (error) {
    // Before anything came of an answer it is as if there had been no reply.
    const words = error instanceof APIError && pieces.message.isEmpty() && !pieces.usage ? errorIn(error) : undefined;
    if (words !== undefined && statusIn(words) !== null) throw new ErrorInReply(words);
    if (!(error instanceof SyntaxError)) throw error;
    throw new NoAnswer('its stream holds an event that is not JSON', { ...countedIn(pieces), providerRequestId });
  }
  // The client ends an aborted stream quietly, and a proxy may end a cut one politely: only the reason says "complete".
  if (signal.aborted || (pieces.finishReason === null && !pieces.message.isEmpty()))
    throw new CutReply(`the stream ended after ${chunks} events, before the model did`);
  if (pieces.finishReason === null) {
    if (chunks === 0) throw new CutReply('the stream ended before its first event');
    throw new NoAnswer('its stream ended without any choice', { ...countedIn(pieces), providerRequestId });
  }
  return ended(pieces, providerRequestId);
}

/** Its provider broke off: what came of it may be half a sentence. @throws NoAnswer */
function ended(pieces: Pieces, providerRequestId: string | null): Pieces {
  if (pieces.finishReason === 'error')
    throw new NoAnswer('it ended with an error', { ...countedIn(pieces), providerRequestId });
  return pieces;
}

async function noteBeginning(chunk: unknown, begun: Reading['begun']): Promise<void> {
  const beginning = beginningSchema.safeParse(chunk);
  if (beginning.success) await begun?.(beginning.data.id);
}

function addChunk(pieces: Pieces, chunk: unknown): void {
  const fields = z.object({ choices: z.array(z.unknown()).nullish(), usage: z.unknown().optional() }).safeParse(chunk);
  if (!fields.success) return;
  if (fields.data.usage != null) Object.assign(pieces, countedBy(fields.data.usage));
  const choice = chunkChoiceSchema.safeParse(fields.data.choices?.[0]);
  if (!choice.success) return;
  if (choice.data.delta) pieces.message.add(choice.data.delta as JsonObject);
  pieces.finishReason = choice.data.finish_reason ?? pieces.finishReason;
}

function readDocument(text: string, providerRequestId: string | null): Pieces {
  const document = parsedJson(text);
  if (document === undefined) throw new NoAnswer('its body is not JSON', { usage: null, providerRequestId });
  return piecesOf(document, providerRequestId);
}

function piecesOf(document: unknown, providerRequestId: string | null): Pieces {
  const fields = z
    .object({ choices: z.array(z.unknown()).nullish(), usage: z.unknown().optional() })
    .safeParse(document);
  const counted = countedBy(fields.data?.usage);
  const choice = choiceSchema.safeParse(fields.data?.choices?.[0]);
  if (!choice.success) {
    const words = errorIn(document);
    if (words !== undefined && counted.usage === null) throw new ErrorInReply(words);
    throw new NoAnswer('its JSON has no choice with a message in it', { ...counted, providerRequestId });
  }
  const message = createReplyMessage();
  message.add(choice.data.message as JsonObject);
  return ended({ message, finishReason: choice.data.finish_reason ?? null, ...counted }, providerRequestId);
}

/** A claim is a handful of numbers; whatever is longer is none, and not kept. */
const LONGEST_CLAIM = 2_000;

function countedBy(claimed: unknown): Counted {
  if (claimed === undefined || claimed === null) return { usage: null };
  const text = JSON.stringify(claimed, numbersOnly) ?? 'null';
  const claimedUsage = text.length > LONGEST_CLAIM ? '[a claim of too many words]' : (JSON.parse(text) as Json);
  return { usage: usageOf(claimed), claimedUsage };
}

/** Of texts and odd names, which may repeat a key, only that they were there. */
function numbersOnly(name: string, value: unknown): unknown {
  if (!/^[a-z0-9_]{0,40}$/.test(name)) return undefined;
  return typeof value === 'string' ? '[text]' : value;
}

function usageOf(claimed: unknown): TokenUsage | null {
  const { data } = usageSchema.safeParse(claimed);
  if (data === undefined) return null;
  const { prompt_tokens: inputTokens, completion_tokens: output, total_tokens: total } = data;
  const reasoning = data.completion_tokens_details?.reasoning_tokens ?? 0;
  // Most count thinking among the output. Some (xAI) count it beside it, which only the total says.
  const isBeside = total === inputTokens + output + reasoning;
  if (reasoning > output && !isBeside) return null;
  return {
    inputTokens,
    cachedInputTokens: data.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: isBeside ? output + reasoning : output,
  };
}
