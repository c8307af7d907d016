import { Kysely, PostgresDialect } from '../query-builder.js';
import pg from 'pg';
import { CONNECT_TIMEOUT_MS } from '../connect-timeout.js';
import type { Tables } from './tables.js';

/** Where the records are. */
export interface DatabaseOptions {
  /** `postgresql://user:password@host:port/database`. Carries a password: never print it. */
  connectionString: string;
  /** Connections at once; at least the number of slots of the worker that touch the database. Default 10. */
  maxConnections?: number;
}

/** Typed queries over a pool of connections. Nothing connects before the first query. */
export interface Database {
  kysely: Kysely<Tables>;
  /** Ends the pool; waits for queries under way. */
  close(): Promise<void>;
}

// A process that stops in the middle of a transaction must not hold its locks for ever.
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

/** Opens the database; `migrate` must have run before the records are used. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.maxConnections ?? 10,
    Client: LimitedClient,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    application_name: 'durabench',
    keepAlive: true,
    types: { getTypeParser },
  });
  // A connection the server cuts says so by an event as well, in use or idle; without listeners that ends the process.
  // The query under way fails by itself, and the next one opens another connection.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { kysely, close: () => kysely.destroy() };
}

class LimitedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

// pg_type.dat of Postgres; fixed for ever.
const INT8 = 20;
const TIMESTAMPTZ = 1184;
type Parser = (text: string) => unknown;

/** The driver's parsers, but bigint as a safe number and times as ISO text. Per pool, so nothing global changes. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
  const parse = pg.types.getTypeParser(oid, format) as Parser;
  if (format === 'binary') return parse;
  if (oid === INT8) return parseSafeInteger;
  return oid === TIMESTAMPTZ ? timeText : parse;
}

/** A timestamptz as Postgres writes it. */
export function timeText(text: string): string {
  return isoText(text) ?? isoTime((pg.types.getTypeParser(TIMESTAMPTZ, 'text') as Parser)(text));
}

/** `2026-01-31 01:02:03.456789+00`, as a session in UTC writes it, without the detour: a report reads 200,000. */
function isoText(text: string): string | undefined {
  // Years of four digits; the fraction is left out where it is nothing, and its last zeros.
  const [length, isUtc] = [text.length, text.endsWith('+00')];
  if (!isUtc || length < 22 || text[4] !== '-' || text[10] !== ' ') return undefined;
  const fraction = text[19] === '.' ? text.slice(20, Math.min(23, length - 3)) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

function isoTime(time: unknown): string {
  if (!(time instanceof Date)) throw new RangeError(`the database holds the time ${String(time)}`);
  return time.toISOString();
}

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database holds ${text}, beyond what a number can hold`);
  return value;
}
