import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { ModelRules } from './model-rules.js';
import { sendDocument, sendError, sendJson } from './scripted-reply.js';

/** A batch as a test sees it. */
export interface SeenBatch {
  id: string;
  status: string;
  metadata: Readonly<Record<string, unknown>>;
  /** Lines of its file. */
  requests: number;
  /** How often it was asked for by its id. */
  looks: number;
}

/** What a request of a batch is answered with; null: not at all. */
export type BatchReply = { status: number; body: unknown } | null;

/** The Batch API of the scripted model. */
export interface ScriptedBatches {
  seen(): SeenBatch[];
  /** Ends those that are open, at their next look. */
  endNow(): void;
  /** Serves what belongs to it. @returns false where the path does not */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
}

const lineSchema = z.object({ custom_id: z.string(), body: z.record(z.string(), z.unknown()) });
type Line = z.output<typeof lineSchema>;

const creationSchema = z.looseObject({
  input_file_id: z.string(),
  endpoint: z.literal('/v1/chat/completions'),
  completion_window: z.literal('24h'),
  metadata: z.record(z.string(), z.unknown()).default({}),
});

interface Batch extends SeenBatch {
  lines: Line[];
  fileId: string;
  endsAt: number;
  completed: number;
  failed: number;
  outputFileId?: string;
  errorFileId?: string;
  /** Under way: whoever asks next waits for it. */
  ending?: Promise<void>;
}

/** Files and batches in the shape of OpenAI's, kept in memory; `answer` is asked for a line when its batch ends. */
export function createScriptedBatches(parts: {
  rules: ModelRules['batches'];
  answer: (call: string, body: Buffer) => Promise<BatchReply>;
  /** The reply to a creation waits for it. */
  created: () => Promise<void>;
  readBody: (request: IncomingMessage) => Promise<Buffer>;
  /** Milliseconds. */
  now: () => number;
}): ScriptedBatches {
  const { rules, readBody, now } = parts;
  const files = new Map<string, string>();
  const batches = new Map<string, Batch>();

  function kept(text: string): string {
    const id = `file-scripted-${files.size + 1}`;
    files.set(id, text);
    return id;
  }

  async function upload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(new Uint8Array(await readBody(request)), { headers }).formData();
    const file = form.get('file');
    if (form.get('purpose') !== 'batch' || file === null || typeof file === 'string')
      return sendError(response, 400, { message: 'A file for the purpose "batch" is served here, and no other.' });
    sendJson(response, 200, { id: kept(await file.text()), object: 'file', purpose: 'batch', filename: file.name });
  }

  async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const creation = creationSchema.safeParse(JSON.parse((await readBody(request)).toString('utf8')));
    const text = creation.success ? files.get(creation.data.input_file_id) : undefined;
    if (!creation.success || text === undefined)
      return sendError(response, 400, { message: 'This is no batch of chat completions over a file that is here.' });
    const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [lineSchema.parse(JSON.parse(line))]));
    const { input_file_id: fileId, metadata } = creation.data;
    const id = `batch_scripted_${batches.size + 1}`;
    const counts = { requests: lines.length, looks: 0, completed: 0, failed: 0 };
    const batch = { id, status: 'in_progress', metadata, lines, fileId, endsAt: now() + rules.delayMs, ...counts };
    batches.set(id, batch);
    // It is there, and its creator does not know yet.
    await parts.created();
    sendJson(response, 200, documentOf(batch));
  }

  async function looked(batch: Batch): Promise<Batch> {
    if (batch.status === 'cancelling') batch.status = 'cancelled';
    if (batch.status === 'in_progress' && batch.endsAt <= now()) batch.ending ??= end(batch);
    await batch.ending;
    return batch;
  }

  async function end(batch: Batch): Promise<void> {
    const how = rules.ends[[...batches.keys()].indexOf(batch.id)] ?? 'completed';
    // A day was enough for half of it.
    const answered = { completed: Infinity, expired: Math.ceil(batch.lines.length / 2), failed: 0 }[how];
    const [output, errors]: [object[], object[]] = [[], []];
    for (const [index, { custom_id, body }] of batch.lines.entries()) {
      const row = { id: `batch_req_${batch.id}_${index}`, custom_id };
      if (index >= answered) {
        const error = { code: 'batch_expired', message: 'This request could not be executed in time.' };
        if (how === 'expired') errors.push({ ...row, response: null, error });
        continue;
      }
      const reply = await parts.answer(custom_id, Buffer.from(JSON.stringify(body)));
      if (reply === null) continue;
      const response = { status_code: reply.status, request_id: `req-${batch.id}-${index}`, body: reply.body };
      (reply.status === 200 ? output : errors).push({ ...row, response, error: null });
    }
    const text = (rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    Object.assign(batch, {
      ...{ status: how, completed: output.length, failed: errors.length },
      ...(output.length > 0 && { outputFileId: kept(text(output)) }),
      ...(errors.length > 0 && { errorFileId: kept(text(errors)) }),
    });
  }

  async function list(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const newestFirst = [...batches.values()].reverse();
    const after = newestFirst.findIndex(({ id }) => id === query.get('after')) + 1;
    const page = newestFirst.slice(after, after + Number(query.get('limit') ?? 20));
    const data = (await Promise.all(page.map(looked))).map(documentOf);
    sendJson(response, 200, { object: 'list', data, has_more: after + page.length < newestFirst.length });
  }

  return {
    seen: () =>
      [...batches.values()].map(({ id, status, metadata, requests, looks }) => {
        return { id, status, metadata, requests, looks };
      }),
    endNow: () => batches.forEach((batch) => (batch.endsAt = now())),
    async serve(request, response, path) {
      const asked = `${request.method ?? ''} ${path}`;
      if (asked === 'POST /files') await upload(request, response);
      else if (asked === 'POST /batches') await create(request, response);
      else if (asked === 'GET /batches')
        await list(response, new URL(request.url ?? '', 'http://scripted').searchParams);
      else {
        const [, fileId] = /^GET \/files\/([^/]+)\/content$/.exec(asked) ?? [];
        const file = files.get(fileId ?? '');
        if (file !== undefined) {
          sendDocument(response, 200, file);
          return true;
        }
        const [, method, batchId, cancel] = /^(GET|POST) \/batches\/([^/]+)(\/cancel)?$/.exec(asked) ?? [];
        const batch = batches.get(batchId ?? '');
        if (batch === undefined || (method === 'POST') !== (cancel !== undefined)) return false;
        batch.looks += 1;
        await looked(batch);
        if (cancel !== undefined && batch.status === 'in_progress') batch.status = 'cancelling';
        sendJson(response, 200, documentOf(batch));
      }
      return true;
    },
  };
}

function documentOf(batch: Batch): object {
  return {
    ...{ id: batch.id, object: 'batch', endpoint: '/v1/chat/completions', input_file_id: batch.fileId },
    ...{ completion_window: '24h', created_at: 0, status: batch.status, metadata: batch.metadata },
    request_counts: { total: batch.requests, completed: batch.completed, failed: batch.failed },
    output_file_id: batch.outputFileId ?? null,
    error_file_id: batch.errorFileId ?? null,
    errors:
      batch.status === 'failed'
        ? { data: [{ code: 'invalid_request', message: 'The rules say that it fails.' }] }
        : null,
  };
}
