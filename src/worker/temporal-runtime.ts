import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import type { WorkerLog } from './worker-log.js';

/** Sends what the SDK logs into the worker's own log. Once a process, before the first connection. */
export function installTemporalRuntime(log: WorkerLog): void {
  const write = ({ level, message, meta }: LogEntry): void => {
    const fields = { ...meta, error: meta?.error === undefined ? undefined : describe(meta.error) };
    if (message.startsWith('No workflows registered')) return; // true of every role but one, and meant
    if (level === 'ERROR') log.error(fields, message);
    else if (level === 'WARN') log.warn(fields, message);
    // The SDK says at info what is of interest only to somebody who debugs it.
    else log.debug(fields, message);
  };
  const level = log.isLevelEnabled('debug') ? 'DEBUG' : 'WARN';
  // The signals are ours: shutdown waits for activities and ends the lease.
  Runtime.install({ logger: new DefaultLogger(level, write), shutdownSignals: [] });
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.slice(0, 1000)}` : String(error);
}
