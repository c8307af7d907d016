import { plainText } from '../../domain/text/plain-text.js';
import { isInterruption, kindOf, problemsOf } from '../../domain/failure/problems-of.js';
import { problemLines, problemMessage } from '../../domain/failure/problem-text.js';
import type { Problem } from '../../contract/problem.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import type { DocumentBody } from '../../report/documents/documents.js';
import { codeOf } from '../../domain/failure/problems-of.js';
import type { UserErrorKind } from '../../domain/failure/user-error.js';

/** Characters of one of the three lines. */
const LONGEST_LINE = 2_000;

/** An error as a user sees it. */
export interface FailureReport {
  /** Ready to print, without a final newline; three lines for each problem. */
  text: string;
  exitCode: ExitCode;
}

/** The same for a program that reads: all problems as data. */
export function failureDocument(error: unknown): DocumentBody<'error'> {
  const problems = problemsOf(error).map(stated);
  return { error: { code: codeOf(error), ...(problems[0] ?? { message: String(error) }), problems } };
}

/** Keys without a value are left out. */
export function stated({ place, expected, fix, ...problem }: Problem): Omit<Problem, 'path'> {
  const message = problemMessage({ place, ...problem });
  return { message, ...(expected && { expected }), ...(fix && { fix }), ...(place && { place }) };
}

/** Words and exit code for whatever a command threw. Stacks, its causes' too, are in it only when asked for. */
export function failureReport(error: unknown, options: { stack: boolean }): FailureReport {
  const problems = problemsOf(error);
  const stacks = options.stack ? stacksOf(error).join('\ncaused by: ') : '';
  const text = [...problems.map(problemText), ...(stacks === '' ? [] : [stacks])].join('\n');
  return { text, exitCode: exitCodeOf(error) };
}

function stacksOf(error: unknown): string[] {
  return error instanceof Error ? [error.stack ?? error.message, ...stacksOf(error.cause)] : [];
}

/** The lines of a problem, one to three, none of them broken or endless whatever was quoted in it. */
export function problemText(problem: Problem): string {
  return problemLines(problem)
    .map((line, index) => `${index === 0 ? 'error: ' : '  '}${oneLine(line)}`)
    .join('\n');
}

/** Blanks stay as they are quoted; a file name or an id of any length must not make further lines, or fill the screen. */
function oneLine(text: string): string {
  const line = plainText(text.slice(0, 2 * LONGEST_LINE))
    .replace(/(?<!\s)\s*[\n\u2028\u2029]\s*/g, ' ')
    .trim();
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}

const EXIT_OF_KIND: Record<UserErrorKind, ExitCode> = {
  usage: EXIT.usage,
  environment: EXIT.environment,
  cancelled: EXIT.cancelled,
};

function exitCodeOf(error: unknown): ExitCode {
  return isInterruption(error) ? EXIT.aborted : EXIT_OF_KIND[kindOf(error)];
}
