import type { Problem } from '../../contract/problem.js';
import { pathText } from '../text/path-text.js';

/** A problem as text: what is wrong, and on lines of their own what was expected and how to fix it, where that is known. */
export function problemText(problem: Problem): string {
  return problemLines(problem).join('\n');
}

/** The lines of {@link problemText}: one to three. */
export function problemLines(problem: Problem): string[] {
  const { expected, fix } = problem;
  const lines = [problemMessage(problem), expected && `expected: ${expected}`, fix && `fix: ${fix}`];
  return lines
    .filter((line) => line !== undefined && line !== '')
    .map((line) => line!.replace(/(?<!\s)\s*\n\s*/g, ' '));
}

/** What is wrong, with where that is: a message with a place has it. */
export function problemMessage({ message, path = [], place }: Problem): string {
  return place !== undefined || path.length === 0 ? message : `${pathText(path)}: ${message}`;
}
