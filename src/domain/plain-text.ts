/** Escape sequences of terminals: CSI, OSC (links, titles, clipboard), DCS and the like, and two-character ones. */
const SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][\s\S]*?(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g;
/** Other control characters (tab and line feed stay), and characters that turn the reading direction. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of a model or candidate, safe to print: no control sequence reaches the terminal. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, '').replace(CONTROLS, '');
}

/** The same on one line, cut to a length. */
export function plainLine(text: string, maxLength = 200): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
