import { z } from 'zod';
import { parsedJson } from '../../domain/text/parsed-json.js';
import type { Blobs } from '../../ports/blobs.js';
import type { CallRow } from '../../ports/records.js';
import { headOf, type TextHead } from './text-head.js';

/** A part of what was sent to a model, or of what came back. */
export interface SaidPart {
  /** `system`, `user`, `assistant`, `tool`, …; of an answer `answer`, `calls of tools`, `refusal`. */
  role: string;
  text: string;
}

/** A model call with its words. */
export interface CallTexts {
  call: CallRow;
  /** Model as the provider calls it; null where the request is kept no more. */
  model: string | null;
  asked: SaidPart[];
  answered: SaidPart[];
  /** Why the answer ended, as the provider says; null without an answer. */
  finishReason: string | null;
  /** Of a document that is too large to be read: its beginning. */
  heads: { asked: TextHead | null; answered: TextHead | null };
}

/** Larger documents are shown by their beginning. */
const MOST_BYTES = 1024 * 1024;

const contentSchema = z
  .union([z.string(), z.null(), z.array(z.looseObject({ text: z.string().optional() }))])
  .optional();
const messageSchema = z.looseObject({ role: z.string(), content: contentSchema, tool_calls: z.unknown().optional() });
const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(messageSchema),
  body: z.looseObject({ messages: z.array(messageSchema) }).optional(),
});
const answerSchema = z.looseObject({
  text: z.string(),
  finishReason: z.string(),
  raw: z.looseObject({ tool_calls: z.unknown().optional(), refusal: z.string().nullish() }).optional(),
});

/** Reads what was asked and answered, as far as it is still kept. */
export async function callTexts(blobs: Blobs, call: CallRow): Promise<CallTexts> {
  const [request, answer] = await Promise.all([documentOf(blobs, call.request), documentOf(blobs, call.response)]);
  const asked = requestSchema.safeParse(request.document);
  const answered = answerSchema.safeParse(answer.document);
  return {
    call,
    model: asked.success ? asked.data.model : null,
    asked: asked.success ? (asked.data.body?.messages ?? asked.data.messages).flatMap(partsOf) : [],
    answered: answered.success ? answerParts(answered.data) : [],
    finishReason: answered.success ? answered.data.finishReason : null,
    heads: { asked: asked.success ? null : request.head, answered: answered.success ? null : answer.head },
  };
}

async function documentOf(
  blobs: Blobs,
  ref: CallRow['response'],
): Promise<{ document: unknown; head: TextHead | null }> {
  if (ref === null || !(await blobs.has(ref.sha256))) return { document: null, head: null };
  if (ref.sizeBytes > MOST_BYTES) return { document: null, head: await headOf(blobs, ref) };
  const text = (await blobs.get(ref.sha256)).toString('utf8');
  const document = parsedJson(text);
  return document === undefined ? { document: null, head: { text, beyondBytes: 0 } } : { document, head: null };
}

type Message = z.output<typeof messageSchema>;

function partsOf({ role, content, tool_calls: calls }: Message): SaidPart[] {
  const text = Array.isArray(content) ? content.map((part) => part.text ?? JSON.stringify(part)).join('\n') : content;
  return [
    ...(text === null || text === undefined ? [] : [{ role, text }]),
    ...(calls === undefined || calls === null ? [] : [toolPart(calls)]),
  ];
}

function answerParts({ text, raw }: z.output<typeof answerSchema>): SaidPart[] {
  const calls = raw?.tool_calls ?? null;
  return [
    ...(text === '' && (calls !== null || raw?.refusal) ? [] : [{ role: 'answer', text }]),
    ...(raw?.refusal ? [{ role: 'refusal', text: raw.refusal }] : []),
    ...(calls === null ? [] : [toolPart(calls)]),
  ];
}

const toolPart = (calls: unknown): SaidPart => ({
  role: 'calls of tools',
  text: JSON.stringify(calls, null, 1),
});
