import type OpenAI from 'openai';
import type { ModelSpec } from '../../contract/campaign.js';
import type { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { CallLabel, Model, ModelAnswer, ModelRequest, SendOptions } from '../../ports/model.js';
import { bodyOf, createDialects, MOST_DIALECTS, type Dialect } from './dialects.js';
import { failureOf } from './failures.js';
import { createReach } from './reach.js';
import { readKept, readReply } from './reply.js';

/** A look-up, not a generation. */
const LOOK_UP_MS = 30_000;

/**
 * Any OpenAI-compatible endpoint through the official client, streaming where it is offered. The client's own retries
 * are off: Temporal is the one owner of retries.
 */
export function createOpenAiModel(dependencies: { readKey: (envName: string) => string | undefined }): Model {
  const reach = createReach(dependencies.readKey);
  const dialects = createDialects();

  return {
    async complete(spec, request, signal, options = {}) {
      const { client, key } = reach(spec);
      for (let sends = 1; ; sends += 1) {
        const dialect = dialects.of(spec);
        const end = await sendOnce({ client, spec, key, request, signal, options, dialect });
        if ('answer' in end) return end.answer;
        // A refused parameter is a 400, which is not billed: the request goes out once more in the endpoint's own terms.
        if (sends === MOST_DIALECTS || !dialects.learn(spec, dialect, end.failure)) throw end.failure;
      }
    },

    async retrieve(spec, completionId, signal) {
      const { client, key } = reach(spec);
      const { completions } = client.chat;
      try {
        const either = AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_MS)]);
        const response = await completions.retrieve(completionId, { signal: either }).asResponse();
        return readKept(await response.text(), { completionId, key });
      } catch {
        // Whatever the reason: without the answer the call stands as it stood before.
        signal.throwIfAborted();
        return null;
      }
    },
  };
}

type SendEnd = { answer: ModelAnswer } | { failure: DomainFailure };

interface Sending {
  client: OpenAI;
  spec: ModelSpec;
  key: string | null;
  request: ModelRequest;
  signal: AbortSignal;
  options: SendOptions;
  dialect: Dialect;
}

async function sendOnce(sending: Sending): Promise<SendEnd> {
  const { client, spec, key, request, signal, options } = sending;
  const begun = spec.stored === true ? options.begun : undefined;
  const timeUp = new AbortController();
  const timeoutMs = Math.ceil(spec.timeoutSeconds * 1000);
  const timer = setTimeout(() => timeUp.abort(), timeoutMs);
  const either = AbortSignal.any([signal, timeUp.signal]);
  try {
    const body = bodyOf(spec, request, sending.dialect);
    // The client's own limit ends with the headers; ours covers the whole answer, and so comes first.
    const headers = labelHeaders(options.label);
    const response = await client.chat.completions
      .create(body, { signal: either, timeout: timeoutMs + 1_000, headers })
      .asResponse();
    return { answer: await readReply(response, { client, signal: either, key, begun }) };
  } catch (error) {
    return { failure: failureOf(error, { spec, key, timedOut: timeUp.signal.aborted, aborted: signal.aborted }) };
  } finally {
    clearTimeout(timer);
  }
}

function labelHeaders(label: CallLabel | undefined): Record<string, string> {
  return label ? { 'x-durabench-purpose': label.purpose, 'x-durabench-call': label.call } : {};
}
