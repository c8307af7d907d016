import type { Blobs } from '../../../src/ports/blobs.js';

/** What the line of an answer begins with. */
export const MARK = 'Answer: ';

/** The lines of an answer that `generate` attached. */
export async function answerLines(blobs: Blobs, sha256: string): Promise<string[]> {
  return (await blobs.get(sha256)).toString('utf8').split(/\r?\n/);
}

/** What stands behind the mark on that line; empty when the line is not there. */
export async function markedText(blobs: Blobs, sha256: string, line: number): Promise<string> {
  const lines = await answerLines(blobs, sha256);
  return (lines[line] ?? MARK).slice(MARK.length);
}
