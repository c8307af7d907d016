import type { Problem } from '../../contract/problem.js';

/** A problem as text: what is wrong, and on lines of their own what was expected and how to fix it, where that is known. */
export function problemText(problem: Problem): string {
  return problemLines(problem).join('\n');
}

/** The lines of {@link problemText}: one to three. */
export function problemLines({ message, expected, fix }: Problem): string[] {
  const lines = [message, expected && `expected: ${expected}`, fix && `fix: ${fix}`];
  return lines
    .filter((line) => line !== undefined && line !== '')
    .map((line) => line!.replace(/(?<!\s)\s*\n\s*/g, ' '));
}
