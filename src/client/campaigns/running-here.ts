import type { Engine } from '../engine.js';
import type { Connection } from '../connection.js';

/**
 * Whether the campaign's workflow runs on this server and was not superseded from another one. One that is closed,
 * and still writes the report, does not count: there is nothing left that it would run.
 */
export async function isRunningHere({ records }: Connection, engine: Engine, id: string): Promise<boolean> {
  const { server, endedAt } = await records.campaign(id);
  if (endedAt !== null) return false;
  if (server !== null && server !== (await engine.server())) return false;
  return engine.isRunning(id);
}
