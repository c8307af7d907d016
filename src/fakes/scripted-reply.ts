import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScriptedReply } from './model-rules.js';
import {
  completionDocument,
  completionEvents,
  type CompletionRequest,
  type ScriptedAnswer,
} from './scripted-completion.js';

/** Sends what a rule says: a document or a stream, whole or broken in the way the rule says. */
export async function sendReply(
  n: number,
  request: CompletionRequest,
  { reply: scripted, answer }: { reply: ScriptedReply; answer: ScriptedAnswer },
  response: ServerResponse,
): Promise<void> {
  if (scripted.delayMs) await delay(scripted.delayMs);
  if (response.destroyed) return;
  if (scripted.cut === 'before-reply') return void response.destroy();
  response.setHeader('x-request-id', `req-scripted-${n}`);
  for (const [name, value] of Object.entries(scripted.headers ?? {})) response.setHeader(name, value);
  if (scripted.status !== undefined)
    return sendError(response, scripted.status, scripted.error ?? { message: `Scripted status ${scripted.status}.` });
  const stream = request.stream && scripted.plain !== true;
  const parts = stream
    ? completionEvents(n, request, scripted, answer)
    : [completionDocument(n, request, scripted, answer)];
  response.setHeader('content-type', stream ? 'text/event-stream; charset=utf-8' : 'application/json');
  if (!stream) response.setHeader('content-length', Buffer.byteLength(parts.join('')));
  await sendParts(response, parts, scripted.cut?.afterBytes ?? Infinity, scripted.chunkDelayMs ?? 0);
}

/** Sends the parts, and breaks the connection once `limit` bytes of the body are out. */
async function sendParts(response: ServerResponse, parts: string[], limit: number, pauseMs: number): Promise<void> {
  let left = limit;
  response.flushHeaders();
  for (const part of parts) {
    const bytes = Buffer.from(part).subarray(0, left);
    left -= bytes.length;
    await new Promise<void>(
      (resolve) => void (response.destroyed ? resolve() : response.write(bytes, () => resolve())),
    );
    if (left <= 0 || response.destroyed) return void response.destroy();
    if (pauseMs > 0) await delay(pauseMs);
  }
  if (limit !== Infinity) return void response.destroy();
  response.end();
}

/** One JSON document. */
export function sendJson(response: ServerResponse, status: number, document: object): void {
  sendDocument(response, status, JSON.stringify(document));
}

/** One JSON document, as text. */
export function sendDocument(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** An error as OpenAI words it. */
export function sendError(
  response: ServerResponse,
  status: number,
  error: { message: string; code?: string | number | null; type?: string; param?: string },
): void {
  sendJson(response, status, { error: { type: 'scripted_error', code: null, param: null, ...error } });
}
