import type OpenAI from 'openai';
import type { ModelSpec } from '../../contract/campaign.js';
import type { DomainFailure } from '../../domain/domain-failure.js';
import type { ModelRequest } from '../../ports/model.js';

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

/** Where compatible endpoints differ: the name of the output cap, and whether they know `stream_options`. */
interface Dialect {
  outputCap: 'max_tokens' | 'max_completion_tokens';
  streamOptions: boolean;
}

/** Remembers, per endpoint and model, which dialect its 400s asked for. */
export interface Dialects {
  body(spec: ModelSpec, request: ModelRequest): Body;
  /** True when the failure names a parameter that can be said otherwise; the next `body` does. */
  learn(spec: ModelSpec, failure: DomainFailure): boolean;
}

/** Starts with what most endpoints accept: `max_tokens`, usage in the stream. */
export function createDialects(): Dialects {
  const learned = new Map<string, Dialect>();
  const idOf = (spec: ModelSpec): string => `${spec.baseUrl}\n${spec.name}`;
  const dialectOf = (spec: ModelSpec): Dialect =>
    learned.get(idOf(spec)) ?? { outputCap: 'max_tokens', streamOptions: true };

  return {
    body: (spec, request) => bodyOf(spec, request, dialectOf(spec)),
    learn(spec, failure) {
      if (failure.type !== 'model.bad-request') return false;
      const current = dialectOf(spec);
      const next = { ...current };
      // OpenAI's reasoning models: "Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead."
      if (failure.message.includes('max_completion_tokens')) next.outputCap = 'max_completion_tokens';
      if (failure.message.includes('stream_options')) next.streamOptions = false;
      if (next.outputCap === current.outputCap && next.streamOptions === current.streamOptions) return false;
      learned.set(idOf(spec), next);
      return true;
    },
  };
}

function bodyOf(spec: ModelSpec, request: ModelRequest, dialect: Dialect): Body {
  return {
    model: spec.name,
    messages: request.messages,
    [dialect.outputCap]: request.maxOutputTokens,
    stream: true,
    ...(spec.stored ? { store: true } : {}),
    ...(dialect.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...(request.json ? { response_format: { type: 'json_object' as const } } : {}),
  };
}
