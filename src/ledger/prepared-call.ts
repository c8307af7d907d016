import type { ModelSpec, Price } from '../contract/campaign.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { sha256Hex } from '../domain/text/content-hash.js';
import { batchPrice, costMicroUsd, totalTokens } from '../domain/limits/prices.js';
import { countedMessages, estimateInputTokens } from '../domain/limits/token-estimate.js';
import type { Amount, SystemLimit } from '../ports/ledger.js';
import { storableText } from '../domain/text/storable.js';
import type { Asker, CallLabel, ChatBody, ModelRequest, Question } from '../ports/model.js';
import { askedHash, callKey, callName, questionHash } from './call-key.js';
import { systemLimitsOf } from './system-limits.js';
import { sealedPrompt, type Sealed } from './stored-answer.js';

/** A question with everything that follows from it before anything is looked up. */
export interface PreparedCall {
  key: string;
  asker: Asker;
  /** Under which other campaigns find the answer; null: they do not. */
  question: string | null;
  purpose: string;
  /** Key into the campaign's `models`. */
  modelKey: string;
  model: ModelSpec;
  /** It goes out in a provider batch. */
  isBatched: boolean;
  /** What its tokens cost. */
  price: Price | 'free';
  request: ModelRequest;
  label: CallLabel;
  prompt: Sealed;
  completionName: string;
  /** Counted input and the whole output cap, at the frozen price. */
  estimate: Amount;
  /** Limits of the system that the call counts in, narrow to wide. */
  systemLimits: readonly SystemLimit[];
}

/** Routes the question to its model and derives key, prompt document and estimate. */
export function prepareCall(asker: Asker, question: Question): PreparedCall {
  const { modelKey, model } = routed(asker, question);
  const request: ModelRequest = {
    // Code of a candidate may be cut in the middle of a character: what is hashed must be what is sent.
    messages: question.body
      ? []
      : question.messages.map(({ role, content }) => ({ role, content: storableText(content) })),
    ...(question.body && { body: sentBody(question.body, model) }),
    maxOutputTokens: outputCap(question, model),
    temperature: model.temperature,
    json: question.body === undefined && (question.json ?? false),
    ...(model.parameters && { parameters: model.parameters }),
  };
  const batchApi = asker.account.kind === 'campaign' && question.isUrgent !== true ? model.batchApi : undefined;
  const price = batchApi === undefined ? model.price : batchPrice(model.price, batchApi.priceFactor);
  const asked = askedHash(question, model, request);
  const key = callKey(asker, question, asked);
  const name = `${question.purpose}-${question.ordinal}-${sha256Hex(key).slice(0, 8)}.json`;
  return {
    key,
    asker,
    question: questionHash(asker, question, { baseUrl: model.baseUrl, price }, asked),
    purpose: question.purpose,
    modelKey,
    model,
    isBatched: batchApi !== undefined,
    price,
    request,
    label: { purpose: question.purpose, call: callName(key) },
    prompt: sealedPrompt(`prompt-${name}`, model.name, question.prompt, request),
    completionName: `completion-${name}`,
    estimate: estimateOf(price, request),
    systemLimits: systemLimitsOf(asker),
  };
}

/** What stands in a request of somebody else's and is ours to say. */
const OURS: ReadonlySet<string> = new Set([
  ...['model', 'max_tokens', 'max_completion_tokens', 'stream', 'stream_options', 'store', 'n'],
]);

/** Of sampling, what the campaign file says of the model stands. */
function sentBody({ messages, ...rest }: ChatBody, model: ModelSpec): ChatBody {
  const isSaid = (name: string): boolean =>
    OURS.has(name) || (name === 'temperature' && model.temperature !== null) || model.parameters?.[name] !== undefined;
  return { messages, ...Object.fromEntries(Object.entries(rest).filter(([name]) => !isSaid(name))) };
}

/** A question's own cap is for the answer itself; what the model thinks before it comes on top. */
function outputCap({ maxOutputTokens }: Question, model: ModelSpec): number {
  if (maxOutputTokens === undefined) return model.maxOutputTokens;
  return Math.min(maxOutputTokens + (model.reasoningTokens ?? 0), model.maxOutputTokens);
}

function routed({ spec, system }: Asker, question: Question): { modelKey: string; model: ModelSpec } {
  const modelKey = question.model ?? system.purposes[question.purpose] ?? system.model;
  const model = modelKey === null ? undefined : spec.models[modelKey];
  if (modelKey !== null && model) return { modelKey, model };
  throw new DomainFailure('harness.bug', {
    message: `system ${system.id} asks for "${question.purpose}", but ${modelKey === null ? 'names no model' : `the campaign has no model "${modelKey}"`}`,
    expected: Object.keys(spec.models).join(', ') || 'a model under models:',
    fix: 'name one as model or under purposes',
  });
}

function estimateOf(price: PreparedCall['price'], request: ModelRequest): Amount {
  const usage = {
    inputTokens: estimateInputTokens(countedMessages(request)),
    cachedInputTokens: 0,
    outputTokens: request.maxOutputTokens,
  };
  return { microUsd: costMicroUsd(price, usage), tokens: totalTokens(usage) };
}
