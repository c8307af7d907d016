import { DomainFailure } from '../../../domain/failure/domain-failure.js';

// Postgres says these while it starts, stops, is full or had to break a deadlock: the same work succeeds later.
const PASSING_STATES = /^(08|40|53|57P|55P03|25P03)/;
const PASSING_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
// node-postgres gives these no code.
const PASSING_MESSAGES =
  /^(Connection terminated|timeout expired|Client has encountered a connection error|Client was closed)/;

/** Runs work on the database; what passes by itself becomes `records.unavailable`, which is retried. */
export async function onDatabase<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isPassing(error)
      ? new DomainFailure('records.unavailable', `The records cannot be reached: ${describe(error)}`, { cause: error })
      : error;
  }
}

/** The same port with every method run through {@link onDatabase}. */
export function withDatabaseFailures<Port extends object>(port: Port): Port {
  const methods = Object.entries(port).map(([name, method]: [string, (...input: unknown[]) => Promise<unknown>]) => {
    return [name, (...input: unknown[]) => onDatabase(() => method(...input))];
  });
  return Object.fromEntries(methods) as Port;
}

function isPassing(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPassing); // refused on every address of a host
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return PASSING_CODES.has(code) || PASSING_STATES.test(code);
  return PASSING_MESSAGES.test(error.message);
}

function describe(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || 'no answer';
}
