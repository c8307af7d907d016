import type { ScriptedReply } from './model-rules.js';

/** A request to /chat/completions as far as the server reads it. */
export interface CompletionRequest {
  model: string;
  messages: { role: string; content: string }[];
  stream: boolean;
  includeUsage: boolean;
  /** The provider shall keep the answer. */
  store: boolean;
}

/** Token counts of a reply; null where the rule says `usage: none`. */
export interface CompletionUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
}

/** Characters of text in one event of a stream. */
const CHUNK_CHARACTERS = 120;

/** The id of what request n is answered with. */
export const completionId = (n: number): string => `chatcmpl-scripted-${n}`;

/** The text of an answer: as written, or a template filled with groups. */
export function answerText(reply: ScriptedReply, groups: Record<string, string>): string {
  if (reply.template === undefined) return reply.answer ?? '';
  return reply.template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => groups[name] ?? '');
}

/** The rule's counts, and where it gives none a steady count of four bytes a token. */
export function usageOf(reply: ScriptedReply, request: CompletionRequest, text: string): CompletionUsage | null {
  if (reply.usage === 'none') return null;
  const counted = request.messages.reduce((sum, message) => sum + 4 + tokensOf(message.content), 0);
  const input = reply.usage?.input ?? counted;
  const output = reply.usage?.output ?? tokensOf(text);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: reply.usage?.cached ?? 0 },
  };
}

/** The body of a reply that is not streamed. */
export function completionDocument(
  n: number,
  request: CompletionRequest,
  reply: ScriptedReply,
  answer: { text: string; usage: CompletionUsage | null },
): string {
  const choice = {
    index: 0,
    message: { role: 'assistant', content: answer.text },
    finish_reason: reply.finishReason ?? 'stop',
  };
  const document = JSON.stringify({
    id: completionId(n),
    object: 'chat.completion',
    created: 0,
    model: request.model,
    choices: reply.malformed === 'no-choices' ? [] : [choice],
    ...(answer.usage ? { usage: answer.usage } : {}),
  });
  if (reply.malformed === 'not-json') return '<html><body>Bad gateway</body></html>';
  return reply.malformed === 'broken-json' ? document.slice(0, Math.floor(document.length / 2)) : document;
}

/** The events of a streamed reply, in the order and shape of the OpenAI API. */
export function completionEvents(
  n: number,
  request: CompletionRequest,
  reply: ScriptedReply,
  answer: { text: string; usage: CompletionUsage | null },
): string[] {
  if (reply.malformed === 'not-json') return ['data: <html>Bad gateway</html>\n\n', 'data: [DONE]\n\n'];
  const event = (fields: object): string =>
    `data: ${JSON.stringify({
      id: completionId(n),
      object: 'chat.completion.chunk',
      created: 0,
      model: request.model,
      ...fields,
    })}\n\n`;
  const choice = (delta: object, finish_reason: string | null): string =>
    event({ choices: [{ index: 0, delta, finish_reason }] });
  const usage = answer.usage && request.includeUsage ? [event({ choices: [], usage: answer.usage })] : [];
  const choices = [
    choice({ role: 'assistant', content: '' }, null),
    ...pieces(answer.text).map((content) => choice({ content }, null)),
    choice({}, reply.finishReason ?? 'stop'),
  ];
  const events = [...(reply.malformed === 'no-choices' ? [] : choices), ...usage, 'data: [DONE]\n\n'];
  if (reply.malformed !== 'broken-json') return events;
  const broken = events[1] ?? '';
  return [events[0] ?? '', `${broken.slice(0, Math.floor(broken.length / 2))}\n\n`, 'data: [DONE]\n\n'];
}

function pieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${CHUNK_CHARACTERS}}`, 'gu')) ?? [];
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
