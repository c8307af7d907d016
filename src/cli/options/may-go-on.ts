import { createInterface } from 'node:readline/promises';
import type { Session } from '../session.js';

/** Asks yes or no on a terminal. @param unasked the answer where nobody sits at one */
export async function mayGoOn(session: Session, question: string, unasked: boolean): Promise<boolean> {
  if (session.output.flags.json || !process.stdin.isTTY || !session.output.isLive) return unasked;
  const line = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await line.question(`${question} [y/N] `)).trim());
  } finally {
    line.close();
  }
}
