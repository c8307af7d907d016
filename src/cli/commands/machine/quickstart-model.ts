import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { UserError } from '../../../domain/failure/user-error.js';
import { detachedServer, startDetachedServer, stopDetachedServer } from './detached-server.js';

const NAME = 'mock-model';
/** The port examples/quickstart/campaign.yaml names. */
const PREFERRED_PORT = 4010;

/**
 * Starts the scripted model detached, so that the campaign can go on when this command is gone, or finds the one that
 * runs. `durabench down` stops it.
 * @returns its base URL
 */
export async function startQuickstartModel(parts: {
  stateDir: string;
  packageRoot: string;
  rulesPath: string;
}): Promise<string> {
  const { stateDir, packageRoot, rulesPath } = parts;
  const rules = await rulesDigest(rulesPath);
  const before = detachedServer(stateDir, NAME);
  if (before?.of === rules) return urlOf(before.port);
  await stopQuickstartModel(stateDir);
  const requests = join(stateDir, 'logs', 'mock-model.requests.jsonl');
  const started = await startDetachedServer({
    ...{ stateDir, packageRoot, name: NAME, preferred: [PREFERRED_PORT], of: rules },
    args: (port) => [NAME, rulesPath, '--port', String(port), '--log', requests],
  });
  if ('port' in started) return urlOf(started.port);
  throw new UserError('environment', {
    message: `the scripted model did not start; it said last: ${started.said.join(' / ')}`,
    expected: 'a free loopback port and readable rules',
    fix: `read ${started.logFile}, fix what it names, and run: durabench quickstart`,
  });
}

/** Stops the scripted model of a state folder. @returns whether one was running */
export const stopQuickstartModel = (stateDir: string): Promise<boolean> => stopDetachedServer(stateDir, NAME);

async function rulesDigest(rulesPath: string): Promise<string> {
  const { readRulesFile } = await import('../../../fakes/rules-file.js');
  const read = readRulesFile(rulesPath);
  if ('problems' in read) throw new UserError('usage', read.problems);
  return createHash('sha256').update(JSON.stringify(read.rules)).digest('hex');
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/v1`;
}
