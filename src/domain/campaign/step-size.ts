import type { Json } from '../../contract/json.js';

/** What the input and the result of a step may weigh in a history, in bytes of JSON each; an event stays below 8 KiB. */
export const STEP_LIMIT_BYTES = 4096;

/** Bytes of a value as the JSON that goes into a history. */
export function jsonBytes(value: Json): number {
  return new TextEncoder().encode(JSON.stringify(value) ?? '').length;
}
