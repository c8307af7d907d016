import type OpenAI from 'openai';
import type { ModelSpec } from '../../contract/campaign.js';
import type { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { ModelRequest } from '../../ports/model.js';

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

/** Where compatible endpoints differ without another meaning: the name of the output cap, and what they do not know. */
export interface Dialect {
  readonly outputCap: 'max_tokens' | 'max_completion_tokens';
  readonly streamOptions: boolean;
  /** `response_format`; the prompts ask for JSON in words as well. */
  readonly jsonMode: boolean;
}

/** What most endpoints accept. */
export const COMMON: Dialect = { outputCap: 'max_tokens', streamOptions: true, jsonMode: true };

/** Sends of one call at most: each refusal but the last teaches one difference. */
export const MOST_DIALECTS = 4;

/** Remembers, per endpoint and model, which dialect its 400s asked for. */
export interface Dialects {
  /** The one to speak now. */
  of(spec: ModelSpec): Dialect;
  /**
   * True when the failure names a parameter that can be said otherwise than it was `sent`; `of` then does. Calls in
   * flight at one time learn one after the other, so what is known by now may be more than what this one has sent.
   */
  learn(spec: ModelSpec, sent: Dialect, failure: DomainFailure): boolean;
}

/** Starts with what most endpoints accept. */
export function createDialects(): Dialects {
  const learned = new Map<string, Dialect>();
  const idOf = (spec: ModelSpec): string => `${spec.baseUrl}\n${spec.name}`;
  const dialectOf = (spec: ModelSpec): Dialect => learned.get(idOf(spec)) ?? COMMON;

  return {
    of: dialectOf,
    learn(spec, sent, failure) {
      if (failure.type !== 'model.bad-request') return false;
      const asked = askedFor(sent, failure.message);
      if (Object.keys(asked).length === 0) return false;
      learned.set(idOf(spec), { ...dialectOf(spec), ...asked });
      return true;
    },
  };
}

/** What a refusal wants to be said otherwise; empty where it was said so already. */
function askedFor(sent: Dialect, refusal: string): Partial<Dialect> {
  return {
    // OpenAI's reasoning models: "Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead."
    ...(sent.outputCap === 'max_tokens' &&
      refusal.includes('max_completion_tokens') && { outputCap: 'max_completion_tokens' as const }),
    ...(sent.streamOptions && refusal.includes('stream_options') && { streamOptions: false }),
    ...(sent.jsonMode && refusal.includes('response_format') && { jsonMode: false }),
  };
}

/** A request in the words of a dialect. What the campaign file gives the model stands last and names nothing that is set here. */
export function bodyOf(spec: ModelSpec, request: ModelRequest, dialect: Dialect): Body {
  return {
    ...request.body,
    model: spec.name,
    messages: (request.body?.messages ?? request.messages) as Body['messages'],
    [dialect.outputCap]: request.maxOutputTokens,
    stream: true,
    ...(spec.stored ? { store: true } : {}),
    ...(dialect.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...(request.json && dialect.jsonMode ? { response_format: { type: 'json_object' as const } } : {}),
    ...(request.body && !dialect.jsonMode ? { response_format: undefined } : {}),
    ...request.parameters,
  };
}
