import { FAILURE_TABLE, isFailureType } from '../domain/failure-table.js';
import { plainText } from '../domain/plain-text.js';
import { problemIn } from '../domain/problem-message.js';
import type { Problem } from '../contract/problem.js';
import { CommandProblem } from './command-problem.js';
import { EXIT, type ExitCode } from './exit-code.js';

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

/** The three lines of a problem. Other folders word theirs with or without "Allowed:"; printed it is always once. */
export function problemText({ what, allowed, remedy }: Problem): string {
  const without = (text: string): string => oneLine(text).replace(/^(allowed|remedy|to mend): */i, '');
  return `error: ${oneLine(what)}\n  allowed: ${without(allowed)}\n  to mend: ${without(remedy)}`;
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
  const { problems, problem } = error as { problems?: readonly Problem[]; problem?: Problem };
  if (Array.isArray(problems) && problems.length > 0) return problems as readonly Problem[];
  if (problem !== undefined) return [problem];
  const message = error instanceof Error ? error.message : String(error);
  const told = problemIn(message);
  if (told !== undefined) return [told];
  if (domainType(error) !== undefined)
    return [
      {
        what: `${domainType(error)}: ${message}`,
        allowed: 'a step that ends without this failure',
        remedy: '`durabench doctor` says what this machine lacks; -v shows where the failure arose',
      },
    ];
  const network = networkProblem(error);
  if (network !== undefined) return [network];
  if (isInterruption(error))
    return [
      {
        what: 'interrupted before it was done',
        allowed: 'the command to run to its end',
        remedy: 'run the same command again; what is there already is kept',
      },
    ];
  return [
    {
      what: `internal error: ${message}`,
      allowed: 'this should not happen whatever the input',
      remedy: 'run the same command with -v and report what it prints',
    },
  ];
}

const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'EPIPE']);

/** A server that does not answer, named as far as the error tells. */
function networkProblem(error: unknown): Problem | undefined {
  for (let at: unknown = error; at instanceof Error; at = firstCause(at)) {
    const { code, address, port } = at as { code?: unknown; address?: string; port?: number };
    if (typeof code !== 'string' || !NETWORK_CODES.has(code)) continue;
    const where = address === undefined ? '' : ` at ${address}${port === undefined ? '' : `:${port}`}`;
    return {
      what: `a server${where} does not answer (${code})`,
      allowed: 'a running stack, or servers named by DATABASE_URL and TEMPORAL_ADDRESS',
      remedy: '`durabench up`, then the same command again',
    };
  }
  return undefined;
}

function firstCause(error: Error): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error.cause;
}

function domainType(error: unknown): string | undefined {
  const { type } = error as { type?: unknown };
  return typeof type === 'string' && isFailureType(type) ? type : undefined;
}

const ENVIRONMENT_ERRORS = new Set(['StackProblem', 'ImageBuildError', 'SchemaProblem']);

/** What an abort signal rejects with: the first Ctrl-C. */
function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function exitCodeOf(error: unknown): ExitCode {
  if (isInterruption(error)) return EXIT.aborted;
  if (error instanceof CommandProblem) return error.exitCode;
  if (error instanceof Error && ENVIRONMENT_ERRORS.has(error.name)) return EXIT.environment;
  const type = domainType(error);
  if (type !== undefined && isFailureType(type) && FAILURE_TABLE[type].blame === 'infrastructure')
    return EXIT.environment;
  return networkProblem(error) === undefined ? EXIT.usage : EXIT.environment;
}
