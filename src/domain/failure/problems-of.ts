import type { FailureType } from '../../contract/failure.js';
import type { Problem } from '../../contract/problem.js';
import { DomainFailure } from './domain-failure.js';
import { FAILURE_TABLE } from './failure-table.js';
import { systemWords } from './system-words.js';
import { UserError, type UserErrorKind } from './user-error.js';

/** What a user can do about an error, as far as it says so itself. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof UserError && error.problems.length > 0) return error.problems;
  if (error instanceof DomainFailure) return [ofFailure(error)];
  const network = networkProblem(error);
  if (network !== undefined) return [network];
  const file = fileProblem(error);
  if (file !== undefined) return [file];
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
    const { code = '' } = at as NodeJS.ErrnoException;
    if (!NETWORK_CODES.has(code)) continue;
    const where = addressOf(at);
    return {
      message: `a server${where === undefined ? '' : ` at ${where}`} does not answer (${code})`,
      expected: 'a running stack, or servers named by DATABASE_URL and TEMPORAL_ADDRESS',
      fix: '`durabench up`, then the same command again',
    };
  }
  return undefined;
}

/** Of a socket; a path where it is one of this machine. */
function addressOf(error: Error): string | undefined {
  const { address, port } = error as { address?: string; port?: number };
  return address === undefined || port === undefined ? address : `${address}:${port}`;
}

/** What helps where the machine refuses a file or socket. */
const FILE_FIXES = new Map([
  ...['ENOSPC', 'EDQUOT'].map((code) => [code, 'make room'] as const),
  ...['EACCES', 'EPERM'].map((code) => [code, 'give this user the permission'] as const),
  ...['EMFILE', 'ENFILE'].map((code) => [code, 'allow more open files (ulimit -n)'] as const),
  ['EROFS', 'make it writable'],
]);

/** What this machine refuses, named as far as the error tells. */
function fileProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path, syscall = 'use' } = error as NodeJS.ErrnoException;
  const fix = FILE_FIXES.get(code);
  if (fix === undefined) return undefined;
  const what = path ?? addressOf(error) ?? (syscall === 'kill' ? 'a process' : 'a file');
  return {
    message: `${what} cannot be used: ${systemWords(error)} (${code}, ${syscall})`,
    fix: `${fix}, then run the same command again`,
  };
}

function firstCause(error: Error): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error.cause;
}

/** Servers and disks: nothing that another command line would change. */
const isOfMachine = (error: unknown): boolean => (networkProblem(error) ?? fileProblem(error)) !== undefined;

/** What an abort signal rejects with: the first Ctrl-C. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** What went wrong where no failure type says more. */
export type ErrorCode = UserErrorKind | 'interrupted' | 'internal';

/** What went wrong, in a word for programs: the type of a failure where it has one. */
export function codeOf(error: unknown): FailureType | ErrorCode {
  if (error instanceof DomainFailure) return error.type;
  if (isInterruption(error)) return 'interrupted';
  if (error instanceof UserError) return error.kind;
  return isOfMachine(error) ? 'environment' : 'internal';
}

/** What it would take to get further; `usage` also for an error of our own. */
export function kindOf(error: unknown): UserErrorKind {
  if (error instanceof UserError) return error.kind;
  const isOutside =
    error instanceof DomainFailure ? FAILURE_TABLE[error.type].blame === 'infrastructure' : isOfMachine(error);
  return isOutside ? 'environment' : 'usage';
}
