import type { AccountRef, CallOwner } from '../contract/stage.js';
import type { BudgetSpec, CampaignSpec, ConcurrencySpec, ModelSpec, SystemSpec } from '../contract/campaign.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { TokenUsage } from '../contract/token-usage.js';

/** One chat message. */
export interface ModelMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/**
 * A chat-completions request as its sender made it: messages of any role, tools, stop, response format, … Model, caps,
 * `stream`, `store` and `n` in it count for nothing: those are set here.
 */
export type ChatBody = JsonObject & { messages: Json[] };

/** What is sent; the whole of it is hashed into the call key. */
export interface ModelRequest {
  /** Empty where there is a body. */
  messages: ModelMessage[];
  /** In the place of messages and JSON mode; without what is set here. */
  body?: ChatBody;
  /** Output cap in tokens. */
  maxOutputTokens: number;
  temperature: number | null;
  /** Ask the endpoint for a JSON object. */
  json: boolean;
  /** What the campaign file adds to the request, as the API names it. Absent: nothing. */
  parameters?: JsonObject;
}

/** One limit of a provider as its headers tell it. */
export interface RateWindow {
  limit: number;
  remaining: number;
  /** Until it is full again. */
  resetMs: number;
}

/** What a provider's headers said of its limits; null where it said nothing. */
export interface ProviderRate {
  requests: RateWindow | null;
  tokens: RateWindow | null;
}

/** A complete answer. */
export interface ModelAnswer {
  text: string;
  /** The message as it came, where it holds more than a text: calls of tools, a refusal, what was thought. */
  raw?: JsonObject;
  finishReason: string;
  /** null when the provider sent none, or one that cannot be: the ledger then settles at the estimate and says so. */
  usage: TokenUsage | null;
  /** The provider's own words on it, as they came; in stored answers only beside a `usageProblem`. */
  claimedUsage?: Json;
  /** Why what it claimed cannot be, as the ledger found: then `usage` is null. */
  usageProblem?: string;
  providerRequestId: string | null;
  /** Absent where the provider said nothing of its limits, and in stored answers. */
  rate?: ProviderRate;
}

/** What a question is answered with. */
export interface AskedAnswer extends ModelAnswer {
  /** It was given before, and nothing was sent or paid now. */
  isReplayed?: true;
}

/** Who asks, for the endpoint's logs. Never part of the key. */
export interface CallLabel {
  purpose: string;
  /** Opaque and equal for every send of one logical call. */
  call: string;
}

/** What goes along with a request. */
export interface SendOptions {
  label?: CallLabel;
  /**
   * Told the provider's id of the answer with its first piece, where the model is `stored`; what follows is read when
   * this has ended. It must not throw.
   */
  begun?: (completionId: string) => Promise<void>;
}

/**
 * An OpenAI-compatible endpoint. No retries of its own. Throws `DomainFailure` with `billing` set; a complete reply
 * without an answer is the `UnusableAnswer` among them. An empty text is an answer.
 */
export interface Model {
  complete(spec: ModelSpec, request: ModelRequest, signal: AbortSignal, options?: SendOptions): Promise<ModelAnswer>;
  /**
   * The answer that the provider keeps under this id; null where it has none (yet), or cannot be asked. Costs nothing.
   * @throws what stopped the signal, and `model.key-missing` without a key
   */
  retrieve(spec: ModelSpec, completionId: string, signal: AbortSignal): Promise<ModelAnswer | null>;
}

/** One request of a provider batch. */
export interface BatchRequest {
  /** Names the reply; opaque. */
  customId: string;
  request: ModelRequest;
}

/** What the provider says of a batch. */
interface BatchProgress<Refusal> {
  /** Replies there are, with or without an answer. */
  answered: number;
  /** Cancelling is under way. */
  isCancelling: boolean;
  /** null while it is open. */
  end: BatchEnd<Refusal> | null;
}

/** How a batch ended. */
export interface BatchEnd<Refusal> {
  /** Files with the replies. */
  fileIds: readonly string[];
  /** What became of the requests without a reply. */
  unanswered: Refusal;
}

/**
 * A provider's Batch API, in the words of OpenAI's: many requests as one file. No retries of its own. Throws `DomainFailure`
 * like {@link Model}; `Refusal` is that type, for a request that has no answer.
 */
export interface BatchApi<Refusal> {
  /** @returns what the provider calls it */
  create(spec: ModelSpec, id: string, requests: readonly BatchRequest[], signal: AbortSignal): Promise<string>;
  /** The batch that was created under this id of ours; null where the provider lists none (yet). */
  find(spec: ModelSpec, id: string, signal: AbortSignal): Promise<string | null>;
  progress(spec: ModelSpec, providerId: string, signal: AbortSignal): Promise<BatchProgress<Refusal>>;
  /** Reads what has come; to be called again where it breaks off. */
  replies(
    spec: ModelSpec,
    end: BatchEnd<Refusal>,
    signal: AbortSignal,
  ): AsyncIterable<{ customId: string; reply: ModelAnswer | Refusal }>;
  cancel(spec: ModelSpec, providerId: string, signal: AbortSignal): Promise<void>;
}

/** Who asks a model: everything the ledger needs for the key, the routing and the account. */
export interface Asker {
  /** Whose money it is. */
  account: AccountRef;
  /** The account's epoch; a stale one reserves nothing. */
  epoch: number;
  owner: CallOwner;
  stage: string;
  step: string;
  /** The run that asked for fresh samples; 0: an answer given before is used. */
  fresh: number;
  /** Which repeat asks: an answer of another campaign is taken from the same one. Absent: none is taken, and none given. */
  repeat?: number;
  /** How often the operator had its owner begun, each of which may lose an answer anew; 1 where nothing is said. */
  run?: number;
  /** The models with their frozen prices, how many calls may run at once, and what a lost answer may cost. */
  spec: Pick<CampaignSpec, 'models' | 'reuseAnswers'> & {
    concurrency: Pick<ConcurrencySpec, 'model'>;
    budget: Pick<BudgetSpec, 'onAmbiguous'>;
  };
  /** Which model answers which purpose, and what may be spent on it. */
  system: Pick<SystemSpec, 'id' | 'model' | 'purposes' | 'limits'>;
  signal: AbortSignal;
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
  /** In the place of messages and JSON mode, which then say nothing: the call is sent as it stands, but for what is set here. */
  body?: ChatBody;
  /**
   * What the answer itself needs; the model's `reasoningTokens` come on top. An answer that is cut at it is asked for once
   * more with the model's own cap. Absent: the model's own.
   */
  maxOutputTokens?: number;
  /** Which answer to this question is wanted: 2 asks anew where the first one was of no use. Absent: the first. */
  sample?: number;
  json?: boolean;
  /** Whoever asks cannot leave and come back, as a program that runs: it is not kept for a provider batch. */
  isUrgent?: boolean;
}
