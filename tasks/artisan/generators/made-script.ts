import type { Label } from '../calibration/families.js';
import type { StaticReason } from '../judge/verdict.js';

/** A script as it was made, with what people should know of its making. */
export interface MadeScript {
  script: Uint8Array;
  note: string | null;
  /** Of an agent. */
  turns?: number;
  /** Of an agent that is told of what it submits: how often it did, and of how many cells it learned that they are right. */
  submissions?: number;
  revealed?: number;
  /** Of an agent: how often it had a table formatted, and the seconds of its commands and submissions. */
  formatted?: number;
  workSeconds?: number;
  /** Of a labelled script: what it is. */
  label?: Label | null;
}

/** Larger scripts hold a table or data. */
export const MOST_SCRIPT_BYTES = 256 * 1024;

/** Why a script is not run; null where it is. */
export function staticProblem(script: Uint8Array): StaticReason | null {
  if (script.byteLength > MOST_SCRIPT_BYTES) return 'static.size';
  if (script.includes(0)) return 'static.encoding';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(script);
    return text.trim() === '' ? 'static.empty' : null;
  } catch {
    return 'static.encoding';
  }
}
