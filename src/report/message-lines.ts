import { plainLine } from '../domain/plain-text.js';
import { problemIn } from '../domain/problem-message.js';

/** Characters of a line: a provider's words, then what to do about them. */
const LONGEST_LINE = 400;

/** Why something failed, for people: what is wrong, and on lines of their own what is allowed and how to mend it where that is known. */
export function messageLines(message: string, longest = LONGEST_LINE): string[] {
  const problem = problemIn(message);
  if (problem === undefined) return [plainLine(message, longest)];
  const { what, allowed, remedy } = problem;
  return [what, `allowed: ${allowed}`, `to mend: ${remedy}`].map((line) => plainLine(line, LONGEST_LINE));
}
