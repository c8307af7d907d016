import { plainText } from '../../domain/text/plain-text.js';

/** Lines kept around a change. */
const CONTEXT = 2;
/** Lines and characters shown; the whole text is evidence. */
const MAX_LINES = 80;
const MAX_WIDTH = 160;

/**
 * The changed lines of a diff that has every line of both texts (` ` kept, `-` only before, `+` only after), with the lines
 * around them; `…` stands for what is left out. Fit for a terminal: nothing in it can act on one.
 */
export function diffLines(diff: string): string[] {
  const lines = diff.split('\n');
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => /^[-+]/.test(line));
  const shown = lines.flatMap((line, index) => {
    if (isNear(index)) return [plainText(line.slice(0, MAX_WIDTH))];
    return index > 0 && isNear(index - 1) && index < lines.length - 1 ? ['…'] : [];
  });
  return shown.length <= MAX_LINES ? shown : [...shown.slice(0, MAX_LINES), `… ${shown.length - MAX_LINES} more lines`];
}
