import type OpenAI from 'openai';
import { Stream } from 'openai/streaming';
import { z } from 'zod';
import type { TokenUsage } from '../../contract/token-usage.js';
import type { ModelAnswer } from '../../ports/model.js';
import { CutReply, NoAnswer } from './failures.js';
import { LONGEST_ANSWER, ReplyTooLong } from './limited-fetch.js';
import { readRate } from './rate-headers.js';
import { withoutKey } from './redact.js';

/** What is read of a reply; everything else an endpoint adds is ignored. */
const usageSchema = z.object({
  prompt_tokens: z.number().int().nonnegative(),
  completion_tokens: z.number().int().nonnegative(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().int().nonnegative().nullish() }).nullish(),
});
const textSchema = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
const choiceSchema = z.object({ message: textSchema, finish_reason: z.string().nullish() });
const chunkChoiceSchema = z.object({ delta: textSchema.nullish(), finish_reason: z.string().nullish() });

interface Pieces {
  text: string;
  finishReason: string | null;
  usage: TokenUsage | null;
}

/**
 * Reads a 2xx reply to its end, as a stream or as one JSON document, whichever the endpoint chose.
 * @throws CutReply when the stream ends before the model did; NoAnswer when it is complete but holds no answer
 */
export async function readReply(
  response: Response,
  { client, signal, key }: { client: OpenAI; signal: AbortSignal; key: string | null },
): Promise<ModelAnswer> {
  const named = response.headers.get('x-request-id');
  const providerRequestId = named === null ? null : withoutKey(named, key);
  const streamed = (response.headers.get('content-type') ?? '').includes('text/event-stream');
  const pieces = streamed
    ? await readStream(response, client, signal, providerRequestId)
    : readDocument(await response.text(), providerRequestId);
  const rate = readRate(response.headers);
  return {
    text: withoutKey(pieces.text, key),
    finishReason: withoutKey(pieces.finishReason ?? 'stop', key),
    usage: pieces.usage,
    providerRequestId,
    ...(rate === undefined ? {} : { rate }),
  };
}

async function readStream(
  response: Response,
  client: OpenAI,
  signal: AbortSignal,
  providerRequestId: string | null,
): Promise<Pieces> {
  const pieces: Pieces = { text: '', finishReason: null, usage: null };
  let chunks = 0;
  try {
    for await (const chunk of Stream.fromSSEResponse<unknown>(response, new AbortController(), client)) {
      addChunk(pieces, chunk);
      chunks += 1;
      if (pieces.text.length > LONGEST_ANSWER) throw new ReplyTooLong('the answer is longer than any answer may be');
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new NoAnswer('its stream holds an event that is not JSON', { usage: pieces.usage, providerRequestId });
  }
  // The client ends an aborted stream quietly, and a proxy may end a cut one politely: only the reason says "complete".
  if (signal.aborted || (pieces.finishReason === null && pieces.text !== ''))
    throw new CutReply(`the stream ended after ${chunks} events, before the model did`);
  if (pieces.finishReason === null) {
    if (chunks === 0) throw new CutReply('the stream ended before its first event');
    throw new NoAnswer('its stream ended without any choice', { usage: pieces.usage, providerRequestId });
  }
  return pieces;
}

function addChunk(pieces: Pieces, chunk: unknown): void {
  const fields = z.object({ choices: z.array(z.unknown()).nullish(), usage: z.unknown().optional() }).safeParse(chunk);
  if (!fields.success) return;
  pieces.usage = usageOf(fields.data.usage) ?? pieces.usage;
  const choice = chunkChoiceSchema.safeParse(fields.data.choices?.[0]);
  if (!choice.success) return;
  pieces.text += choice.data.delta?.content ?? choice.data.delta?.refusal ?? '';
  pieces.finishReason = choice.data.finish_reason ?? pieces.finishReason;
}

function readDocument(text: string, providerRequestId: string | null): Pieces {
  const document = parsed(text);
  if (document === undefined) throw new NoAnswer('its body is not JSON', { usage: null, providerRequestId });
  const fields = z
    .object({ choices: z.array(z.unknown()).nullish(), usage: z.unknown().optional() })
    .safeParse(document);
  const usage = fields.success ? usageOf(fields.data.usage) : null;
  const choice = choiceSchema.safeParse(fields.data?.choices?.[0]);
  if (!choice.success) throw new NoAnswer('its JSON has no choice with a message in it', { usage, providerRequestId });
  const { message, finish_reason } = choice.data;
  return { text: message.content ?? message.refusal ?? '', finishReason: finish_reason ?? null, usage };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function usageOf(value: unknown): TokenUsage | null {
  const usage = usageSchema.safeParse(value);
  if (!usage.success) return null;
  return {
    inputTokens: usage.data.prompt_tokens,
    cachedInputTokens: usage.data.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: usage.data.completion_tokens,
  };
}
