import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serverVariables } from '../../config/env.js';
import { openLog } from '../supervisor/child-log.js';
import { choosePort, isPortFree } from './ports.js';
import { findProcesses, identifyProcess, type ProcessIdentity } from '../supervisor/process-identity.js';
import type { TemporalCli } from './temporal-cli.js';
import { waitUntil } from '../wait-until.js';

/** A dev server that was started or found, not necessarily serving yet. */
export interface StartedDevServer {
  process: ProcessIdentity;
  port: number;
  uiPort: number;
  /** Which port was taken by somebody else, so that another was chosen; '' when none was. */
  note: string;
}

/**
 * Starts `temporal server start-dev`, detached, or finds the one already running on this database.
 * The database is SQLite, which the server never migrates: one file for each version of the CLI.
 */
export async function startDevServer(request: {
  cli: TemporalCli;
  /** Folder for the databases. */
  dataDir: string;
  logFile: string;
  /** What a server of a new project listens on, where they are free. */
  usualPorts: { port: number; uiPort: number };
  /** The ports of the last time, so that addresses and links stay the same. */
  lastPorts?: { port: number; uiPort: number } | undefined;
}): Promise<StartedDevServer> {
  const database = join(request.dataDir, request.cli.version, 'temporal.db');
  const running = findRunning(database);
  if (running) return running;
  mkdirSync(dirname(database), { recursive: true });
  // Workers know the server by its port; whoever was killed a moment ago may still be letting go of it.
  if (request.lastPorts) await untilFree([request.lastPorts.port, request.lastPorts.uiPort]);
  const wanted = request.lastPorts ?? request.usualPorts;
  const port = await choosePort({ preferred: [wanted.port], seed: `temporal ${database}` });
  const uiPort = await choosePort({ preferred: [wanted.uiPort], seed: `temporal ui ${database}`, avoid: [port] });
  const taken = [wanted.port !== port ? wanted.port : [], wanted.uiPort !== uiPort ? wanted.uiPort : []].flat();
  const are = taken.length > 1 ? 'are taken, so others were chosen' : 'is taken, so another was chosen';
  const note = taken.length > 0 ? `${taken.join(' and ')} ${are}` : '';
  return { process: spawnServer({ ...request, database, port, uiPort }), port, uiPort, note };
}

async function untilFree(ports: number[]): Promise<void> {
  const areFree = async (): Promise<boolean> => (await Promise.all(ports.map(isPortFree))).every(Boolean);
  await waitUntil(areFree, { timeoutMs: 5_000 });
}

/** A server that a supervisor started in the instant before it was killed: two on one database would corrupt it. */
function findRunning(database: string): StartedDevServer | undefined {
  let argv: string[] = [];
  const [found] = findProcesses((candidate) => {
    const isOurs = candidate.includes('start-dev') && candidate.includes(database);
    if (isOurs) argv = candidate;
    return isOurs;
  });
  const option = (name: string): number => Number(argv[argv.indexOf(name) + 1]);
  return found && { process: found, port: option('--port'), uiPort: option('--ui-port'), note: '' };
}

function spawnServer(start: {
  cli: TemporalCli;
  database: string;
  logFile: string;
  port: number;
  uiPort: number;
}): ProcessIdentity {
  const log = openLog(start.logFile);
  const addresses = ['--ip', '127.0.0.1', '--port', String(start.port), '--ui-port', String(start.uiPort)];
  // WAL and synchronous=NORMAL: 136 ms instead of 244 ms a trial; a killed process loses nothing it acknowledged.
  const pragmas = ['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=1'];
  // Garbage is collected at four times what is kept, not at twice: 5 to 10 % of its time for 115 MB.
  const env = { GOGC: '300', ...serverVariables() };
  const child = spawn(
    start.cli.path,
    [...['server', 'start-dev', '--db-filename', start.database], ...addresses, ...pragmas, '--log-level', 'error'],
    { cwd: dirname(start.database), env, detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  child.on('error', () => undefined); // no pid below says the same
  log.close();
  child.unref();
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (!identity) throw new Error(`the Temporal dev server ended at once; see ${start.logFile}`);
  return identity;
}
