import { createInterface } from 'node:readline/promises';
import type { Session } from '../session.js';

/** Somebody sits at a terminal. */
export const isAskable = ({ output }: Session): boolean => !output.flags.json && process.stdin.isTTY && output.isLive;

/** Asks yes or no on a terminal. @param unasked the answer where nobody sits at one */
export async function mayGoOn(session: Session, question: string, unasked: boolean): Promise<boolean> {
  if (!isAskable(session)) return unasked;
  const line = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await line.question(`${question} [y/N] `)).trim());
  } finally {
    line.close();
  }
}
