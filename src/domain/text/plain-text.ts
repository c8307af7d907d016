/**
 * Escape sequences of terminals, in 7 and 8 bits: CSI, OSC (links, titles, clipboard), DCS and the like, and
 * two-character ones. A string that never ends, or in which another one begins, is only opened: what follows is text, and is
 * not to be hidden. (So no place is searched twice, whatever the text.)
 */
const SEQUENCES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])(?:[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c))?|\u001b[ -/]*[0-~]/g;
/** Other control characters (tab and line feed stay), and characters that turn the reading direction. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Characters of a text that are looked at for each one that may be shown: sequences and blanks fall away. */
const LOOKED_AT = 20;
/** A cut in the middle of a pair. */
const HALF_AT_END = /[\ud800-\udbff]$/;

/** Text of a model or candidate, safe to print: no control sequence reaches the terminal. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, '').replace(CONTROLS, '');
}

/** The same on one line, cut to a length. */
export function plainLine(text: string, maxLength = 200): string {
  // Whoever writes megabytes into a line does not get them looked at.
  const head = text.slice(0, LOOKED_AT * maxLength);
  const line = plainText(head).replace(/\s+/g, ' ').trim();
  const isWhole = head.length === text.length && line.length <= maxLength;
  return isWhole ? line : `${line.slice(0, maxLength - 1).replace(HALF_AT_END, '')}…`;
}

/** The same with its blanks, as code has them, cut to a length. */
export function plainHead(text: string, maxLength: number): string {
  const head = plainText(text.slice(0, LOOKED_AT * maxLength));
  return head.length <= maxLength ? head : `${head.slice(0, maxLength - 1).replace(HALF_AT_END, '')}…`;
}
