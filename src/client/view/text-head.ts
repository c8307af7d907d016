import type { EvidenceRef } from '../../contract/evidence.js';
import type { Blobs } from '../../ports/blobs.js';

/** The beginning of a text. */
export interface TextHead {
  text: string;
  /** Bytes that follow. */
  beyondBytes: number;
}

/** Bytes of evidence that a page shows; the rest is a link away. */
const MOST_BYTES = 32 * 1024;

const TEXT = /^text\/|[/+](?:json|yaml|xml)\b|x-ndjson/;

/** Whether a reader can read it. */
export const isText = ({ mediaType }: Pick<EvidenceRef, 'mediaType'>): boolean => TEXT.test(mediaType);

/** Reads the beginning of evidence; null of what is no text, and where it is kept no more. */
export async function headOf(blobs: Blobs, ref: EvidenceRef, most = MOST_BYTES): Promise<TextHead | null> {
  if (!isText(ref) || !(await blobs.has(ref.sha256))) return null;
  const pieces: Buffer[] = [];
  let size = 0;
  const stream = await blobs.open(ref.sha256);
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size >= most) break;
  }
  const head = Buffer.concat(pieces).subarray(0, most);
  // A character that is cut in two is left out.
  const text = new TextDecoder().decode(head, { stream: true });
  return { text, beyondBytes: Math.max(0, ref.sizeBytes - head.length) };
}
