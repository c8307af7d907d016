import type { LimitedWorker } from '../../report/text/in-flight-text.js';
import type { Connection } from '../connection.js';
import type { Engine } from '../engine.js';

/** What the living workers of a server can run at once. */
export async function workerLimits(
  { records }: Connection,
  engine: Pick<Engine, 'server'>,
): Promise<readonly LimitedWorker[]> {
  return records.workerLimits(await engine.server());
}
