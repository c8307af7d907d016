import type { ConcurrencySpec } from '../../contract/campaign.js';
import { inFlightWords } from '../../report/words/in-flight-words.js';
import type { Engine } from '../engine.js';
import type { Connection } from '../connection.js';

/** How much of what a campaign asks for runs at once on the workers of its server, and what limits it. */
export async function inFlightLine(
  { records }: Connection,
  engine: Pick<Engine, 'server'>,
  concurrency: ConcurrencySpec,
): Promise<string> {
  return inFlightWords(concurrency, await records.workerLimits(await engine.server()));
}
