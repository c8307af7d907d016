import type { Embedder } from '../../../src/ports/embedder.js';

/** Where sentences with a label begin: `Operations used: …`, `Expected behaviour: …`. */
const LABELLED = /(?<=[.!?]) +(?=[A-Z][a-z]*(?: [a-z]+){0,2}: )/;
const NEXT_SENTENCE = /(?<=[.!?]) +(?=[A-Z])/;

/**
 * What a description says of its subject before it comes to how that is used: the sentences before the first labelled one;
 * the first sentence where none has a label.
 */
export function leadOf(description: string): string {
  const [lead = ''] = description.split(LABELLED, 1);
  return lead.length < description.length ? lead : (description.split(NEXT_SENTENCE, 1)[0] ?? '');
}

/**
 * The vector a candidate is searched with: the mean of those of the whole description and of its lead. Most of a description
 * tells what tests do with the subject, so that alone it finds what is used there as well. The dot product with an entry's
 * vector is the mean of both cosines. Measured on labelled candidates: docs/results/calibration.md.
 */
export async function queryVector(embedder: Pick<Embedder, 'embed'>, description: string): Promise<Float32Array> {
  const [whole, lead] = await embedder.embed([description, leadOf(description)]);
  if (whole === undefined || lead === undefined) return new Float32Array(0);
  return whole.map((value, index) => (value + (lead[index] ?? 0)) / 2);
}
