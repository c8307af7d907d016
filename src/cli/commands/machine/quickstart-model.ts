import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openLog, lastLines } from '../../../stack/supervisor/child-log.js';
import { choosePort, isPortOpen } from '../../../stack/servers/ports.js';
import { identifyProcess, isAlive, type ProcessIdentity } from '../../../stack/supervisor/process-identity.js';
import { endProcess } from '../../../stack/supervisor/stop-services.js';
import { waitUntil } from '../../../stack/wait-until.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** The port examples/quickstart/campaign.yaml names. */
const PREFERRED_PORT = 4010;
const START_TIMEOUT_MS = 20_000;

/** What `<state>/mock-model.json` says of the server quickstart started. */
interface ModelState {
  process: ProcessIdentity;
  port: number;
  /** Digest of the rules and of the answer files they name; others need another server. */
  rules: string;
}

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
  const before = readState(stateDir);
  if (before !== undefined && isAlive(before.process)) {
    if (before.rules === rules) return urlOf(before.port);
    await stopQuickstartModel(stateDir);
  }
  const port = await choosePort({ preferred: [PREFERRED_PORT], seed: `model ${stateDir}` });
  const logFile = join(stateDir, 'logs', 'mock-model.log');
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openLog(logFile);
  const args = [
    'mock-model',
    rulesPath,
    '--port',
    String(port),
    '--log',
    join(stateDir, 'logs', 'mock-model.requests.jsonl'),
  ];
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'durabench.js'), ...args], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  child.on('error', () => undefined); // no pid below says the same
  log.close();
  child.unref();
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (identity !== undefined) {
    const state: ModelState = { process: identity, port, rules };
    writeFileSync(stateFile(stateDir), `${JSON.stringify(state, null, 2)}\n`);
    const answer = await waitUntil(async () => !isAlive(identity) || (await isPortOpen(port)), {
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: 50,
    });
    if (answer === true && isAlive(identity)) return urlOf(port);
    await stopQuickstartModel(stateDir);
  }
  throw notStarted(logFile);
}

/** Stops the scripted model of a state folder. @returns whether one was running */
export async function stopQuickstartModel(stateDir: string): Promise<boolean> {
  const state = readState(stateDir);
  rmSync(stateFile(stateDir), { force: true });
  if (state === undefined || !isAlive(state.process)) return false;
  await endProcess(state.process, { signal: 'SIGTERM', graceMs: 3_000 });
  return true;
}

async function rulesDigest(rulesPath: string): Promise<string> {
  const { readRulesFile } = await import('../../../fakes/rules-file.js');
  const read = readRulesFile(rulesPath);
  if ('problems' in read) throw new UserError('usage', read.problems);
  return createHash('sha256').update(JSON.stringify(read.rules)).digest('hex');
}

function readState(stateDir: string): ModelState | undefined {
  try {
    return JSON.parse(readFileSync(stateFile(stateDir), 'utf8')) as ModelState;
  } catch {
    return undefined; // none was started, or its file was cut short: nothing in it is not found again
  }
}

function stateFile(stateDir: string): string {
  return join(stateDir, 'mock-model.json');
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/v1`;
}

function notStarted(logFile: string): UserError {
  return new UserError('environment', {
    message: `the scripted model did not start; it said last: ${lastLines(logFile, 3).join(' / ')}`,
    expected: 'a free loopback port and readable rules',
    fix: `read ${logFile}, fix what it names, and run: durabench quickstart`,
  });
}
