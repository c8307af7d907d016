import type { EvidenceRef } from '../contract/evidence.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { sha256Hex } from '../domain/text/content-hash.js';
import type { BlobLabel } from '../ports/blobs.js';
import type { ModelAnswer, ModelRequest } from '../ports/model.js';

/** Bytes with the reference they will have once stored: the hash does not need the store. */
export interface Sealed {
  bytes: string;
  label: BlobLabel;
  ref: EvidenceRef;
}

/** A JSON document ready to be stored; readable, since people open prompts and completions. */
function sealed(name: string, document: object): Sealed {
  const bytes = `${JSON.stringify(document, null, 1)}\n`;
  const label = { name, mediaType: 'application/json' };
  const ref = { ...label, sha256: sha256Hex(bytes), sizeBytes: Buffer.byteLength(bytes), truncated: false };
  return { bytes, label, ref };
}

/** A prompt as it is stored: the request, with the names of its model and its prompt file. */
export function sealedPrompt(name: string, model: string, prompt: string, request: ModelRequest): Sealed {
  return sealed(name, { model, prompt, ...request });
}

/** The request of a stored prompt, by its bytes. */
export function parsePrompt(bytes: Buffer): ModelRequest {
  return requestIn(JSON.parse(bytes.toString('utf8')) as StoredPrompt);
}

type StoredPrompt = ModelRequest & { model: string; prompt: string };

const requestIn = ({ model: _model, prompt: _prompt, ...request }: StoredPrompt): ModelRequest => request;

/** An answer as it is stored. */
export function serializeCompletion(
  name: string,
  model: string,
  { rate: _, claimedUsage, ...kept }: ModelAnswer,
): Sealed {
  return sealed(name, { model, ...kept, ...(kept.usageProblem === undefined ? {} : { claimedUsage }) });
}

/** The stored answer of an earlier send, by its bytes. */
export function parseCompletion(bytes: Buffer, { sha256 }: EvidenceRef): ModelAnswer {
  const document = JSON.parse(bytes.toString('utf8')) as Partial<ModelAnswer>;
  if (typeof document.text !== 'string' || typeof document.finishReason !== 'string')
    throw new DomainFailure('blobs.unavailable', `The stored answer ${sha256} does not read as one.`);
  return {
    text: document.text,
    ...(document.raw !== undefined && { raw: document.raw }),
    finishReason: document.finishReason,
    usage: document.usage ?? null,
    providerRequestId: document.providerRequestId ?? null,
    ...(document.usageProblem !== undefined && { usageProblem: document.usageProblem }),
  };
}
