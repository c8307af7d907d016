import type { Engine } from './engine.js';
import type { Workplace } from './workplace.js';

/** Whether the campaign's workflow runs on this server and was not superseded from another one. */
export async function isRunningHere({ records }: Workplace, engine: Engine, id: string): Promise<boolean> {
  const { server } = await records.campaign(id);
  if (server !== null && server !== (await engine.server())) return false;
  return engine.isRunning(id);
}
