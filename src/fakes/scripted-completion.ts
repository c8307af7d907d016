import type { EndpointManners, ScriptedReply } from './model-rules.js';
import { filled } from './rule-matching.js';

/** A request to /chat/completions as far as the server reads it. */
export interface CompletionRequest {
  model: string;
  /** Of content in parts, its texts; of a call of tools, nothing. */
  messages: { role: string; content: string }[];
  /** Names of the tools it offers. */
  tools: readonly string[];
  stream: boolean;
  includeUsage: boolean;
  /** The provider shall keep the answer. */
  store: boolean;
  /** All else it was sent: caps, sampling, what the campaign file adds. */
  parameters: Readonly<Record<string, unknown>>;
}

/** What an endpoint may claim for a count: a number, or what is none. */
type Claim = number | string | null;

/** Token counts of a reply; null where the rule says `usage: none`. */
interface CompletionUsage {
  prompt_tokens: Claim;
  completion_tokens: Claim;
  total_tokens: Claim;
  prompt_tokens_details: { cached_tokens: Claim };
  completion_tokens_details: { reasoning_tokens: Claim };
}

/** What a reply says, whichever form it is sent in. */
export interface ScriptedAnswer {
  text: string;
  toolCall?: { name: string; arguments: string };
  finishReason: string;
  usage: CompletionUsage | null;
}

/** Characters of text in one event of a stream. */
const CHUNK_CHARACTERS = 120;

/** The id of what request n is answered with. */
export const completionId = (n: number): string => `chatcmpl-scripted-${n}`;

/**
 * What a rule answers a request with: its text as written, or a template filled with groups. Where the endpoint has manners,
 * thinking comes first and all of it ends at the cap, as reasoning models end.
 */
export function answerOf(
  { reply, groups }: { reply: ScriptedReply; groups: Record<string, string> },
  request: CompletionRequest,
  endpoint: EndpointManners | undefined,
): ScriptedAnswer {
  const whole = textOf(reply, groups);
  const cap = endpoint === undefined ? Infinity : capOf(request);
  const thought = Math.min(cap, reply.reasoningTokens ?? thinkingOf(endpoint, request));
  const room = cap - thought;
  const isCut = tokensOf(whole) > room || (thought > 0 && room === 0);
  const text = isCut
    ? Buffer.from(whole)
        .subarray(0, room * BYTES_PER_TOKEN)
        .toString('utf8')
        .replace(/\ufffd$/, '')
    : whole;
  const said = reply.toolCall === undefined ? 'stop' : 'tool_calls';
  return {
    text,
    ...(reply.toolCall && {
      toolCall: { name: reply.toolCall.name, arguments: filled(reply.toolCall.arguments, groups) },
    }),
    finishReason: reply.finishReason ?? (isCut ? 'length' : said),
    usage: usageOf(reply, request, { output: thought + tokensOf(text), thought }),
  };
}

function textOf(reply: ScriptedReply, groups: Record<string, string>): string {
  if (reply.template !== undefined) return filled(reply.template, groups);
  return reply.answers?.[filled(reply.file ?? '', groups)] ?? reply.answer ?? '';
}

function capOf({ parameters }: CompletionRequest): number {
  const cap = parameters.max_completion_tokens ?? parameters.max_tokens;
  return typeof cap === 'number' ? cap : Infinity;
}

/** How much of its thinking an effort makes a model do. */
const EFFORT: Readonly<Record<string, number>> = { none: 0, minimal: 0.1, low: 0.25, high: 4 };

function thinkingOf(endpoint: EndpointManners | undefined, { parameters }: CompletionRequest): number {
  const effort = typeof parameters.reasoning_effort === 'string' ? EFFORT[parameters.reasoning_effort] : undefined;
  return Math.round((endpoint?.reasoningTokens ?? 0) * (effort ?? 1));
}

/** The rule's claims, and where it makes none a steady count of four bytes a token. */
function usageOf(
  { usage: claimed }: ScriptedReply,
  request: CompletionRequest,
  counted: { output: number; thought: number },
): CompletionUsage | null {
  if (claimed === 'none') return null;
  const sent = request.messages.reduce((sum, message) => sum + 4 + tokensOf(message.content), 0);
  const claim = (said: Claim | undefined, count: number): Claim => (said === undefined ? count : said);
  const [input, output] = [claim(claimed?.input, sent), claim(claimed?.output, counted.output)];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: typeof input === 'number' && typeof output === 'number' ? input + output : null,
    prompt_tokens_details: { cached_tokens: claim(claimed?.cached, 0) },
    completion_tokens_details: { reasoning_tokens: claim(claimed?.reasoning, counted.thought) },
  };
}

/** The message of an answer, or what all deltas of a stream come to: content, a refusal, or the call of a function. */
function messageOf({ refusal }: ScriptedReply, { text, toolCall }: ScriptedAnswer, n: number): object {
  if (refusal !== undefined) return { content: null, refusal };
  if (toolCall === undefined) return { content: text };
  return { content: null, tool_calls: [{ index: 0, id: `call_scripted_${n}`, type: 'function', function: toolCall }] };
}

/** The body of a reply that is not streamed. */
export function completionDocument(
  n: number,
  request: CompletionRequest,
  reply: ScriptedReply,
  answer: ScriptedAnswer,
): string {
  const choice = {
    index: 0,
    message: { role: 'assistant', ...messageOf(reply, answer, n) },
    finish_reason: answer.finishReason,
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
  if (reply.malformed === 'error-in-200') return JSON.stringify({ error: errorOf(reply) });
  return reply.malformed === 'broken-json' ? document.slice(0, Math.floor(document.length / 2)) : document;
}

/** The events of a streamed reply, in the order and shape of the OpenAI API. */
export function completionEvents(
  n: number,
  request: CompletionRequest,
  reply: ScriptedReply,
  answer: ScriptedAnswer,
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
  if (reply.malformed === 'error-in-200') {
    const choices = [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'error' }];
    return [event({ error: errorOf(reply), choices }), 'data: [DONE]\n\n'];
  }
  const usage = answer.usage && request.includeUsage ? [event({ choices: [], usage: answer.usage })] : [];
  const choices = [
    choice({ role: 'assistant', content: '' }, null),
    ...(reply.refusal === undefined && reply.toolCall === undefined
      ? pieces(answer.text).map((content) => choice({ content }, null))
      : [choice(messageOf(reply, answer, n), null)]),
    choice({}, answer.finishReason),
  ];
  const events = [...(reply.malformed === 'no-choices' ? [] : choices), ...usage, 'data: [DONE]\n\n'];
  if (reply.malformed !== 'broken-json') return events;
  const broken = events[1] ?? '';
  return [events[0] ?? '', `${broken.slice(0, Math.floor(broken.length / 2))}\n\n`, 'data: [DONE]\n\n'];
}

const errorOf = ({ error }: ScriptedReply): object => error ?? { message: 'Provider returned error', code: 502 };

function pieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${CHUNK_CHARACTERS}}`, 'gu')) ?? [];
}

const BYTES_PER_TOKEN = 4;

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
