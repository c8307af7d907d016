import { pino, type Logger } from 'pino';
import type { Environment } from '../config/env.js';

/** Where a worker writes its log. */
export type WorkerLog = Logger;

/** One JSON line a record on stdout, with what may hold a secret blanked. */
export function createWorkerLog(environment: Environment, instance: string): WorkerLog {
  const secrets = ['apiKey', 'authorization', 'headers', 'connectionString', 'databaseUrl', 'password'];
  const paths = secrets.flatMap((name) => [name, `*.${name}`]);
  return pino({
    level: environment.logLevel,
    base: { worker: instance },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: '…' },
  });
}
