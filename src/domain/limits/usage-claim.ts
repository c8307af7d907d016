import type { TokenUsage } from '../../contract/token-usage.js';
import { countedMessages } from './token-estimate.js';

/** What a request could come to at most, by what was sent. */
export interface SentRequest {
  messages: readonly { content: string }[];
  /** In the place of messages. */
  body?: { messages: readonly unknown[] };
  /** The cap it was sent with. */
  maxOutputTokens: number;
}

/** Role and separators of a message, in any chat format in use. */
const TOKENS_A_MESSAGE = 64;
/** What an endpoint may put before the messages: its own instructions, the format of JSON or of tools. */
const TOKENS_OF_ITS_OWN = 8_192;
/** Blocks of speculative decoding may run past the cap by one. */
const PAST_THE_CAP = { share: 0.1, least: 64 };

/**
 * Why what a provider counted cannot be; null where it can. Every tokenizer in use falls back to single bytes, so a text has at most as many
 * tokens as bytes; an answer ends at the cap it was sent with; a part is no more than its whole. What lies below these
 * bounds is believed, also where it is more than was estimated: a tokenizer that is not ours may count so.
 */
export function usageProblem(usage: TokenUsage, sent: SentRequest): string | null {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const most = { input: mostInputTokens(sent), output: mostOutputTokens(sent) };
  if (![inputTokens, cachedInputTokens, outputTokens].every((count) => Number.isSafeInteger(count) && count >= 0))
    return 'a count is no whole number of tokens';
  if (inputTokens > most.input) return `${inputTokens} input tokens for a prompt of at most ${most.input}`;
  if (outputTokens > most.output) return `${outputTokens} output tokens at a cap of ${sent.maxOutputTokens}`;
  if (cachedInputTokens > inputTokens) return `${cachedInputTokens} cached of ${inputTokens} input tokens`;
  return null;
}

/** Most tokens these messages can be. */
export function mostInputTokens(request: SentRequest): number {
  const messages = countedMessages(request);
  const bytes = messages.reduce((sum, { content }) => sum + new TextEncoder().encode(content).length, 0);
  return bytes + messages.length * TOKENS_A_MESSAGE + TOKENS_OF_ITS_OWN;
}

/** Most tokens an answer with this cap can have. */
export function mostOutputTokens({ maxOutputTokens: cap }: SentRequest): number {
  return cap + Math.max(PAST_THE_CAP.least, Math.ceil(cap * PAST_THE_CAP.share));
}
