import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../contract/json.js';
import { sha256Hex } from '../domain/text/content-hash.js';
import type { AskedAnswer } from '../ports/model.js';

/** A chat completion as OpenAI words it. */
interface Completion {
  id: string;
  object: 'chat.completion';
  created: number;
  model: string;
  choices: [{ index: 0; message: JsonObject; finish_reason: string; logprobs: null }];
  usage?: JsonObject;
}

/** An answer as a document; equal for equal answers, so that a program begun anew sees the same. */
export function completionDocument(answer: AskedAnswer, model: string): Completion {
  const { text, raw, finishReason, usage } = answer;
  const message = { ...(raw ?? { content: text }), role: 'assistant' };
  const id = `chatcmpl-${sha256Hex(JSON.stringify([message, usage])).slice(0, 24)}`;
  return {
    ...{ id, object: 'chat.completion' as const, created: 0, model },
    choices: [{ index: 0, message, finish_reason: finishReason, logprobs: null }],
    ...(usage === null ? {} : { usage: usageOf(usage) }),
  };
}

function usageOf({ inputTokens, cachedInputTokens, outputTokens }: NonNullable<AskedAnswer['usage']>): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
  };
}

/** The same as a stream of events: the whole message at once, since it is stored before anybody sees a part of it. */
export function sendEvents(
  response: ServerResponse,
  { id, created, model, choices, usage }: Completion,
  { includeUsage }: { includeUsage: boolean },
): void {
  const [{ message, finish_reason }] = choices;
  const event = (fields: object): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...fields })}\n\n`;
  const choice = (delta: object, reason: string | null): string =>
    event({ choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }] });
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.write(choice(deltaOf(message), null));
  response.write(choice({}, finish_reason));
  if (includeUsage && usage !== undefined) response.write(event({ choices: [], usage }));
  response.end('data: [DONE]\n\n');
}

/** Calls of tools have a place in streams. */
function deltaOf(message: JsonObject): JsonObject {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call, index) => ({ index, ...(call as JsonObject) })) };
}
