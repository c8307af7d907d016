import type { Problem } from '../../contract/problem.js';
import { plainLine } from '../../domain/text/plain-text.js';
import { problemLines } from '../../domain/failure/problem-text.js';

/** Characters of a line: a provider's words, then what to do about them. */
const LONGEST_LINE = 400;

/**
 * Why something failed, for people: what is wrong, and on lines of their own what was expected and how to fix it, where that
 * is known. @param longest characters of a message that stands alone
 */
export function messageLines(problem: Problem, longest = LONGEST_LINE): string[] {
  const lines = problemLines(problem);
  return lines.map((line) => plainLine(line, lines.length === 1 ? longest : LONGEST_LINE));
}
