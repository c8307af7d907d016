import { APIError, toFile, type OpenAI } from 'openai';
import { z } from 'zod';
import type { ModelSpec } from '../../contract/campaign.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { parsedJson } from '../../domain/text/parsed-json.js';
import type { BatchApi, BatchEnd, BatchRequest, ModelAnswer, ModelRequest } from '../../ports/model.js';
import { bodyOf, COMMON } from './dialects.js';
import { errorIn, failureOf, refusalOf, wordsSchema } from './failures.js';
import { limitedFileFetch } from './limited-fetch.js';
import { modelProblem, placeOf, type ModelFailureType } from './model-problems.js';
import { createReach } from './reach.js';
import { redacted } from './redact.js';
import { readBatched } from './reply.js';

/** A question about a batch, or its creation. */
const CALL_MS = 60_000;
/** A file of 50 MB, either way, over a slow line. */
const FILE_MS = 10 * 60_000;
/** Newest first: a batch that was just created is among so many. */
const MOST_LISTED = 2_000;
/** The one window that OpenAI and all who follow it know. */
const WINDOW = '24h';
/** Among the metadata of a batch: what we call it. */
const OURS = 'durabench';

const idSchema = z.string().regex(/^[\w.:-]{1,200}$/);
const batchSchema = z.looseObject({
  id: idSchema,
  status: z.string(),
  output_file_id: idSchema.nullish().catch(null),
  error_file_id: idSchema.nullish().catch(null),
  metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
  request_counts: z.looseObject({ completed: z.number(), failed: z.number() }).nullish().catch(null),
  errors: z
    .looseObject({
      data: z.array(z.looseObject({ code: z.string().nullish(), message: z.string().nullish() })).nullish(),
    })
    .nullish()
    .catch(null),
});
type Batch = z.output<typeof batchSchema>;

const rowSchema = z.looseObject({
  custom_id: z.string(),
  response: z
    .looseObject({ status_code: z.int(), request_id: z.string().nullish().catch(null), body: z.unknown() })
    .nullish(),
  error: wordsSchema.nullish(),
});
type Row = z.output<typeof rowSchema>;

/** What a batch can end as; open otherwise. */
const ENDED: readonly string[] = ['completed', 'failed', 'expired', 'cancelled'];

interface Reached {
  client: OpenAI;
  spec: ModelSpec;
  key: string | null;
}

/** The Batch API of OpenAI and of whoever follows it, through the official client. */
export function createOpenAiBatchApi(dependencies: {
  readKey: (envName: string) => string | undefined;
}): BatchApi<DomainFailure> {
  const reach = createReach(dependencies.readKey, limitedFileFetch);
  const reached = (spec: ModelSpec): Reached => ({ ...reach(spec), spec });
  return {
    async create(spec, id, requests, signal) {
      const at = reached(spec);
      const { batches, files } = at.client;
      const file = await toFile(linesOf(spec, requests), `durabench-${id}.jsonl`, { type: 'application/jsonl' });
      const { id: fileId } = await asked(at, FILE_MS, signal, (options) =>
        files.create({ file, purpose: 'batch' }, options),
      );
      const batch = await asked(at, CALL_MS, signal, (options) =>
        batches.create(
          {
            ...{ input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: WINDOW },
            metadata: { [OURS]: id },
          },
          options,
        ),
      );
      return batchOf(at, batch).id;
    },

    find: (spec, id, signal) => {
      const at = reached(spec);
      return asked(at, CALL_MS, signal, async (options) => {
        let listed = 0;
        for await (const each of at.client.batches.list({ limit: 100 }, options)) {
          const batch = batchSchema.safeParse(each);
          if (batch.data?.metadata?.[OURS] === id) return batch.data.id;
          if ((listed += 1) >= MOST_LISTED) break;
        }
        return null;
      });
    },

    async progress(spec, providerId, signal) {
      const at = reached(spec);
      const kept = await asked(at, CALL_MS, signal, (options) =>
        at.client.batches.retrieve(providerId, options).catch((error: unknown) => {
          if (error instanceof APIError && error.status === 404) return null;
          throw error;
        }),
      );
      if (kept === null) return { answered: 0, isCancelling: false, end: goneEnd(at, providerId) };
      const batch = batchOf(at, kept);
      const { completed = 0, failed = 0 } = batch.request_counts ?? {};
      const end = ENDED.includes(batch.status) ? endOf(at, batch) : null;
      return { answered: completed + failed, isCancelling: batch.status === 'cancelling', end };
    },

    async *replies(spec, { fileIds }, signal) {
      const at = reached(spec);
      for (const fileId of fileIds)
        for await (const line of linesIn(at, fileId, signal)) {
          const row = rowSchema.safeParse(parsedJson(line));
          // What cannot be read names no request: that one counts as unanswered.
          if (row.success) yield { customId: row.data.custom_id, reply: replyOf(at, row.data) };
        }
    },

    async cancel(spec, providerId, signal) {
      const at = reached(spec);
      await asked(at, CALL_MS, signal, (options) => at.client.batches.cancel(providerId, options));
    },
  };
}

/** What a request is sent with to be over in this time, and the failure that an error of it is. */
function limitedTo(
  limitMs: number,
  { spec, key }: Reached,
  signal: AbortSignal,
): { options: { signal: AbortSignal; timeout: number }; failed: (error: unknown) => DomainFailure } {
  const timeUp = AbortSignal.timeout(limitMs);
  const limited = { ...spec, timeoutSeconds: limitMs / 1000 };
  return {
    options: { signal: AbortSignal.any([signal, timeUp]), timeout: limitMs + 1_000 },
    failed: (error) => failureOf(error, { spec: limited, key, timedOut: timeUp.aborted, aborted: signal.aborted }),
  };
}

/** Asks within the time; what fails is a `DomainFailure`. */
async function asked<Answer>(
  at: Reached,
  limitMs: number,
  signal: AbortSignal,
  ask: (options: { signal: AbortSignal; timeout: number }) => Promise<Answer>,
): Promise<Answer> {
  const { options, failed } = limitedTo(limitMs, at, signal);
  try {
    return await ask(options);
  } catch (error) {
    throw failed(error);
  }
}

/** A request a line, each whole: an answer in a file is no stream. */
function linesOf(spec: ModelSpec, requests: readonly BatchRequest[]): Buffer {
  const lines = requests.map(({ customId, request }) =>
    JSON.stringify({
      custom_id: customId,
      method: 'POST',
      url: '/v1/chat/completions',
      body: wholeBody(spec, request),
    }),
  );
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Nothing can be learned from a refusal that comes hours later: the output cap has the name that newer endpoints ask for. */
function wholeBody(spec: ModelSpec, request: ModelRequest): object {
  const dialect = { ...COMMON, outputCap: 'max_completion_tokens' as const, streamOptions: false };
  return notStreamed(bodyOf(spec, request, dialect));
}

const notStreamed = ({ stream: _, ...body }: ReturnType<typeof bodyOf>): object => body;

function batchOf({ spec }: Reached, document: unknown): Batch {
  const batch = batchSchema.safeParse(document);
  if (batch.success) return batch.data;
  const message = `${placeOf(spec)} sent something that is no batch`;
  throw new DomainFailure('model.bad-answer', modelProblem('model.bad-answer', message, spec), {
    billing: 'ambiguous',
  });
}

function endOf(at: Reached, batch: Batch): BatchEnd<DomainFailure> {
  const { output_file_id: output, error_file_id: errors } = batch;
  return { fileIds: [output, errors].filter((id) => typeof id === 'string'), unanswered: unansweredOf(at, batch) };
}

/** What became of requests without a reply, by how their batch ended. */
function unansweredOf({ spec, key }: Reached, { id, status, errors }: Batch): DomainFailure {
  const batch = `the batch ${id} of ${placeOf(spec)}`;
  if (status === 'failed') {
    const words = (errors?.data ?? [])
      .map(({ code, message }) => [code, message].filter(Boolean).join(': '))
      .join('; ');
    // The tokens that may wait at once: earlier batches have to end first.
    if (words.includes('token_limit_exceeded'))
      return batchFailure(spec, 'model.rate-limited', `${batch} was refused: ${redacted(words, key)}`);
    return refusalOf(400, { message: `${id} failed: ${words || 'for no reason it named'}` }, { spec, key });
  }
  if (status === 'completed')
    return batchFailure(spec, 'model.ambiguous', `${batch} is complete, without a reply to this request`);
  return batchFailure(spec, 'model.server-error', `${batch} ended as ${status} before this request was answered`);
}

const goneEnd = ({ spec }: Reached, id: string): BatchEnd<DomainFailure> => ({
  fileIds: [],
  unanswered: batchFailure(spec, 'model.ambiguous', `${placeOf(spec)} has no batch ${id} any more`),
});

function batchFailure(spec: ModelSpec, type: ModelFailureType, message: string): DomainFailure {
  return new DomainFailure(type, modelProblem(type, message, spec), {
    billing: type === 'model.ambiguous' ? 'ambiguous' : 'none',
  });
}

function replyOf({ spec, key }: Reached, { response, error }: Row): ModelAnswer | DomainFailure {
  if (response == null || error != null) {
    const words = error?.message ?? 'a reply without a response';
    return batchFailure(spec, 'model.server-error', `${placeOf(spec)} answered with ${redacted(words, key)}`);
  }
  const { status_code: status, request_id: providerRequestId = null, body } = response;
  if (status < 200 || status > 299) return refusalOf(status, errorIn(body) ?? { message: 'no message' }, { spec, key });
  try {
    return readBatched(body, { providerRequestId, key });
  } catch (problem) {
    return failureOf(problem, { spec, key, timedOut: false, aborted: false });
  }
}

/** The lines of a file at the provider. Split at line feeds alone: a text may hold other separators. */
async function* linesIn(at: Reached, fileId: string, signal: AbortSignal): AsyncGenerator<string> {
  const { options, failed } = limitedTo(FILE_MS, at, signal);
  try {
    const { body } = await at.client.files.content(fileId, options);
    let rest = '';
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
    }
    if (rest !== '') yield rest;
  } catch (error) {
    throw failed(error);
  }
}
