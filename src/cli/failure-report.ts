import { DomainFailure } from '../domain/domain-failure.js';
import { FAILURE_TABLE } from '../domain/failure-table.js';
import { plainText } from '../domain/plain-text.js';
import { problemLines } from '../domain/problem-text.js';
import type { Problem } from '../contract/problem.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { UserError, type UserErrorKind } from '../domain/user-error.js';

/** Characters of one of the three lines. */
const LONGEST_LINE = 2_000;

/** An error as a user sees it. */
export interface FailureReport {
  /** Ready to print, without a final newline; three lines for each problem. */
  text: string;
  exitCode: ExitCode;
}

/** Words and exit code for whatever a command threw. The stack is in it only when asked for. */
export function failureReport(error: unknown, options: { stack: boolean }): FailureReport {
  const problems = problemsOf(error);
  const stack = options.stack && error instanceof Error && error.stack !== undefined ? [error.stack] : [];
  const text = [...problems.map(problemText), ...stack].join('\n');
  return { text, exitCode: exitCodeOf(error) };
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

/** What a user can do about an error, as far as it says so itself. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof UserError && error.problems.length > 0) return error.problems;
  if (error instanceof DomainFailure) return [ofFailure(error)];
  const network = networkProblem(error);
  if (network !== undefined) return [network];
  if (isInterruption(error))
    return [
      { message: 'interrupted before it was done', fix: 'run the same command again; what is there already is kept' },
    ];
  const message = error instanceof Error ? error.message : String(error);
  return [
    {
      message: `internal error: ${message}`,
      fix: 'this is a bug: run the same command with -v and report what it prints',
    },
  ];
}

function ofFailure({ type, problem }: DomainFailure): Problem {
  if (problem.fix !== undefined) return problem;
  const fix = '`durabench doctor` says what this machine lacks; -v shows where the failure arose';
  return { ...problem, message: `${type}: ${problem.message}`, fix };
}

const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'EPIPE']);

/** A server that does not answer, named as far as the error tells. */
function networkProblem(error: unknown): Problem | undefined {
  for (let at: unknown = error; at instanceof Error; at = firstCause(at)) {
    const { code, address, port } = at as { code?: unknown; address?: string; port?: number };
    if (typeof code !== 'string' || !NETWORK_CODES.has(code)) continue;
    const where = address === undefined ? '' : ` at ${address}${port === undefined ? '' : `:${port}`}`;
    return {
      message: `a server${where} does not answer (${code})`,
      expected: 'a running stack, or servers named by DATABASE_URL and TEMPORAL_ADDRESS',
      fix: '`durabench up`, then the same command again',
    };
  }
  return undefined;
}

function firstCause(error: Error): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error.cause;
}

/** What an abort signal rejects with: the first Ctrl-C. */
function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

const EXIT_OF_KIND: Record<UserErrorKind, ExitCode> = {
  usage: EXIT.usage,
  environment: EXIT.environment,
  cancelled: EXIT.cancelled,
};

function exitCodeOf(error: unknown): ExitCode {
  return isInterruption(error) ? EXIT.aborted : EXIT_OF_KIND[kindOf(error)];
}

/** What it would take to get further; `usage` also for an error of our own. */
export function kindOf(error: unknown): UserErrorKind {
  if (error instanceof UserError) return error.kind;
  const isOutside =
    error instanceof DomainFailure
      ? FAILURE_TABLE[error.type].blame === 'infrastructure'
      : networkProblem(error) !== undefined;
  return isOutside ? 'environment' : 'usage';
}
