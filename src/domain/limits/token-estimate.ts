/** Bytes of UTF-8 per token, a little below what English (about 4.2) and near what code (3.3 to 3.8) needs with current tokenizers. */
const BYTES_PER_TOKEN = 3.5;
/** Role, separators and start marker of each chat message. */
const TOKENS_PER_MESSAGE = 4;
/** 15 % more where the tokenizer is not known, which for "any compatible endpoint" is always. */
const UNKNOWN_TOKENIZER = 1.15;

/** What of a request is counted: its messages, or of a body all of it, tools included. */
export function countedMessages(request: {
  messages: readonly { content: string }[];
  body?: { messages: readonly unknown[] };
}): readonly { content: string }[] {
  if (request.body === undefined) return request.messages;
  const { messages, ...rest } = request.body;
  return [...messages, rest].map((part) => ({ content: JSON.stringify(part) }));
}

/**
 * Input tokens to reserve for a request, before the provider has counted them. Meant to be too high rather than too
 * low: what is not used goes back to the budget at the settle.
 */
export function estimateInputTokens(messages: readonly { content: string }[]): number {
  const tokens = messages.reduce(
    (sum, message) => sum + TOKENS_PER_MESSAGE + new TextEncoder().encode(message.content).length / BYTES_PER_TOKEN,
    TOKENS_PER_MESSAGE,
  );
  return Math.ceil(tokens * UNKNOWN_TOKENIZER);
}
