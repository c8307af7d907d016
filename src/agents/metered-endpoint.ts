import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { z } from 'zod';
import { parsedJson } from '../domain/text/parsed-json.js';
import type { AskedAnswer, ChatBody } from '../ports/model.js';
import { jsonHash } from '../domain/text/content-hash.js';
import { askThroughOutages } from './ask-through-outages.js';
import { EndpointError, refusalOf } from './endpoint-error.js';
import { completionDocument, sendEvents } from './completion.js';

/** What a metered endpoint is made of. */
export interface EndpointParts {
  /** The name of the one model it serves. */
  model: string;
  /** Answers a request through the ledger; `occurrence` counts from 1 how often this very body was sent to this endpoint. */
  ask(body: ChatBody, request: { occurrence: number; maxOutputTokens?: number }): Promise<AskedAnswer>;
  /** Told once, when the limits of whoever is served allow no further call. */
  onSpent(): void;
  /** Told of a failure that is not the program's to deal with: the run is to be ended, and nothing of it counts. */
  onFailure(error: unknown): void;
  /** Ends waiting for answers. */
  signal: AbortSignal;
}

/** What was asked of an endpoint. */
export interface EndpointCounts {
  /** Answered by the model. */
  asked: number;
  /** Answered from the record of an earlier attempt: not sent, not paid. */
  replayed: number;
  /** Answered with an error. */
  refused: number;
}

/** An OpenAI-compatible endpoint for one program in a container, each request of which is a call of the ledger. */
export interface MeteredEndpoint {
  /** A door's `serve`. */
  serve(connection: Duplex): void;
  counts(): EndpointCounts;
}

/** Larger than any context window; what is sent beyond it is thrown away as it comes. */
const MOST_BODY_BYTES = 32 * 1024 * 1024;

const bodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  n: z.number().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
});

/** Serves connections of doors. No request is answered before its answer is stored; a program that is begun anew and asks the same gets the same. */
export function createMeteredEndpoint(parts: EndpointParts): MeteredEndpoint {
  const counts: EndpointCounts = { asked: 0, replayed: 0, refused: 0 };
  const occurrences = new Map<string, number>();
  let isSpent = false;

  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      counts.refused += 1;
      refuse(response, tellOwner(error));
    });
  });
  // What a program keeps open it may use again, however long its commands take.
  server.keepAliveTimeout = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    if (request.method === 'GET' && path === '/v1/models') return sendJson(response, 200, listOf(parts.model));
    if (request.method !== 'POST' || path !== '/v1/chat/completions')
      throw new EndpointError(404, {
        message: `${request.method} ${path} is not served. POST /v1/chat/completions and GET /v1/models are.`,
        code: 'not_served',
      });
    const { body, wanted } = parseBody(await readBody(request), parts.model);
    const { stream, stream_options: streamOptions, max_completion_tokens: cap, max_tokens: olderCap } = wanted;
    const maxOutputTokens = cap ?? olderCap ?? undefined;
    const occurrence = countOf(body);
    const asked = { occurrence, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) };
    const given = await askThroughOutages(() => parts.ask(body, asked), parts.signal);
    counts[given.isReplayed ? 'replayed' : 'asked'] += 1;
    const completion = completionDocument(given, wanted.model);
    if (stream !== true) return sendJson(response, 200, completion);
    sendEvents(response, completion, { includeUsage: streamOptions?.include_usage === true });
  }

  /** In the order in which requests come: a program that asks one after the other gets the same answers again. */
  function countOf({ stream: _, stream_options: __, ...asked }: ChatBody): number {
    const key = jsonHash(asked);
    const count = (occurrences.get(key) ?? 0) + 1;
    occurrences.set(key, count);
    return count;
  }

  function tellOwner(error: unknown): EndpointError {
    const refusal = refusalOf(error);
    if (refusal === null) parts.onFailure(error);
    if (refusal?.code === 'budget_exhausted' && !isSpent) {
      isSpent = true;
      parts.onSpent();
    }
    return refusal ?? new EndpointError(503, { message: 'The run ends: its model cannot be asked.', code: 'run_ends' });
  }

  return { serve: (connection) => void server.emit('connection', connection), counts: () => ({ ...counts }) };
}

/** What is not to be sent again says so in the header that clients of OpenAI's API heed. */
function refuse(response: ServerResponse, { status, error }: EndpointError): void {
  if (response.headersSent) return void response.destroy();
  response.setHeader('x-should-retry', 'false');
  // What was not read of a request would be read as the next one.
  response.setHeader('connection', 'close');
  sendJson(response, status, { error });
}

function parseBody(text: string, served: string): { body: ChatBody; wanted: z.output<typeof bodySchema> } {
  const parsed = bodySchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: 'it is no JSON object' }] = parsed.error.issues;
    throw invalid(
      `The body is not a chat completions request: ${[path.join('.'), message].filter(Boolean).join(': ')}.`,
    );
  }
  const { model, n } = parsed.data;
  if (model !== served)
    throw new EndpointError(404, { message: `Model ${model} is not served. ${served} is.`, code: 'model_not_found' });
  if ((n ?? 1) !== 1) throw invalid('n: several choices are not served. Send n requests with one.');
  // What the schema adds nothing to is kept as it came.
  return { body: jsonOf(text) as ChatBody, wanted: parsed.data };
}

const invalid = (message: string): EndpointError => new EndpointError(400, { message, code: 'invalid_request' });

function jsonOf(text: string): unknown {
  const value = parsedJson(text);
  if (value === undefined) throw invalid('The body is not JSON.');
  return value;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= MOST_BODY_BYTES) parts.push(part);
    else parts.length = 0;
  }
  // Only now: a client that is answered while it sends finds its connection broken, and not the answer.
  if (size > MOST_BODY_BYTES)
    throw new EndpointError(413, {
      message: `The body is larger than ${MOST_BODY_BYTES / 1024 ** 2} MiB.`,
      code: 'body_too_large',
    });
  return Buffer.concat(parts).toString('utf8');
}

const listOf = (id: string): object => ({
  object: 'list',
  data: [{ id, object: 'model', created: 0, owned_by: 'durabench' }],
});

function sendJson(response: ServerResponse, status: number, document: object): void {
  const text = JSON.stringify(document);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
