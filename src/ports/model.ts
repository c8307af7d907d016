import type { ModelSpec } from '../contract/campaign.js';
import type { TokenUsage } from '../contract/token-usage.js';

export type { TokenUsage } from '../contract/token-usage.js';

/** One chat message. */
export interface ModelMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** What is sent; the whole of it is hashed into the call key. */
export interface ModelRequest {
  messages: ModelMessage[];
  /** Output cap in tokens. */
  maxOutputTokens: number;
  temperature: number | null;
  /** Ask the endpoint for a JSON object. */
  json: boolean;
}

/** A complete answer. */
export interface ModelAnswer {
  text: string;
  finishReason: string;
  /** null when the provider sent none: the ledger then settles at the estimate and says so. */
  usage: TokenUsage | null;
  providerRequestId: string | null;
}

/** Whether a failed request may have been billed. `none`: surely not (connect error, 4xx, 429, complete 5xx). `ambiguous`: request bytes went out and no complete reply came back. */
export type Billing = 'none' | 'ambiguous';

/** Who asks, for the endpoint's logs. Never part of the key. */
export interface CallLabel {
  purpose: string;
  /** Opaque and equal for every send of one logical call. */
  call: string;
}

/**
 * An OpenAI-compatible endpoint. No retries of its own. Throws `DomainFailure` with `billing` set; a complete reply
 * without an answer is the `UnusableAnswer` among them. An empty text is an answer.
 */
export interface Model {
  complete(spec: ModelSpec, request: ModelRequest, signal: AbortSignal, label?: CallLabel): Promise<ModelAnswer>;
}

/** One metered question from a stage. Same owner, stage, step, ordinal and request → same key → paid once, answered from the record afterwards. */
export interface Question {
  /** `generate`, `vote`, `adapt`, …: chooses the model (`purposes`) and labels the spend. */
  purpose: string;
  /** Distinguishes equal questions within a step: voter 2 of round 1. */
  ordinal: number;
  /** Overrides the system's routing: key into the campaign's `models` (the judge's model). */
  model?: string;
  /** Name and version of the prompt file, part of the key. */
  prompt: string;
  messages: ModelMessage[];
  maxOutputTokens?: number;
  json?: boolean;
}
