import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
import { LOOK_TIMEOUT_MS } from '../../adapters/postgres/connect-timeout.js';
import { serverVariables } from '../../config/env.js';
import { openLog } from '../supervisor/child-log.js';
import { choosePort } from './ports.js';
import { findPostgresBinaries, postgresUser, type PostgresBinaries, type RunAs } from './postgres-binaries.js';
import { checkMajor, createCluster, dataArgument, readAccess, SUPERUSER, writeAccess } from './postgres-cluster.js';
import { identifyProcess, processArguments, type ProcessIdentity } from '../supervisor/process-identity.js';

/** The one database Durabench keeps its records in. */
const DATABASE_NAME = 'durabench';
// A worker and a few CLI commands each hold a pool; the default of 100 is reached by four workers.
const MAX_CONNECTIONS = 200;

/** A Postgres process that was started or found, not necessarily serving yet. */
export interface StartedPostgres {
  process: ProcessIdentity;
  port: number;
  /** URL of the database `durabench`, with its password. */
  databaseUrl: string;
}

/**
 * Starts the embedded Postgres of this state folder, detached, or finds the one already running on its data.
 * Creates the cluster the first time. Works as root, by dropping to an unprivileged user.
 * @throws UserError when this machine cannot run it
 */
export async function startPostgres(request: {
  /** Data folder; its parents may be closed to the unprivileged user. */
  dataDir: string;
  logFile: string;
  onProgress?: (detail: string) => void;
}): Promise<StartedPostgres> {
  const { dataDir } = request;
  const running = findRunning(dataDir);
  if (running) return running;
  const runAs = postgresUser();
  const binaries = await findPostgresBinaries(runAs);
  if (!existsSync(join(dataDir, 'PG_VERSION'))) {
    request.onProgress?.('creating the database cluster');
    await createCluster(dataDir, binaries, runAs);
  }
  checkMajor(dataDir, binaries);
  removeMisleadingPidFile(dataDir);
  const access = readAccess(dataDir);
  const port = await choosePort({ preferred: access.port ? [access.port] : [], seed: `postgres ${dataDir}` });
  writeAccess(dataDir, { ...access, port }, runAs);
  const child = spawnServer({ dataDir, port, logFile: request.logFile, binaries, runAs });
  return { process: child, port, databaseUrl: databaseUrl({ port, password: access.password }) };
}

/**
 * Whether Postgres serves; creates the database `durabench` when it is missing.
 * @returns `false` while it does not answer or is still recovering
 */
export async function isPostgresReady(databaseUrl: string): Promise<boolean> {
  const maintenance = new URL(databaseUrl);
  maintenance.pathname = '/postgres';
  const failure = await tryDatabase(maintenance.toString(), async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE_NAME]);
    if (rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
  });
  return failure === undefined;
}

/**
 * Whether a database answers a query.
 * @returns why not, in the server's or the system's words; `undefined` when it does. Never contains the password.
 */
export async function databaseFailure(databaseUrl: string): Promise<string | undefined> {
  return tryDatabase(databaseUrl, async (client) => void (await client.query('select 1')));
}

async function tryDatabase(url: string, ask: (client: pg.Client) => Promise<void>): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: LOOK_TIMEOUT_MS });
  client.on('error', () => undefined); // a connection cut between two queries is reported by the next query
  try {
    await client.connect();
    await ask(client);
    return undefined;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return message || code || 'no answer'; // an AggregateError of refused connections has no message
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The server on this data folder, by its own pid file; a pid now used by something else counts as stale. */
function findRunning(dataDir: string): StartedPostgres | undefined {
  const pidFile = join(dataDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return undefined;
  const [pid, , , port] = readFileSync(pidFile, 'utf8').split('\n').map(Number);
  const identity = identifyProcess(pid ?? 0);
  if (!identity || !port || !isPostgresOn(dataDir, identity.pid)) return undefined;
  const { password } = readAccess(dataDir);
  return { process: identity, port, databaseUrl: databaseUrl({ port, password }) };
}

function isPostgresOn(dataDir: string, pid: number): boolean {
  if (!/postgres/.test(basename(processArguments(pid)[0] ?? ''))) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === dataDir; // a postmaster works in its data folder
  } catch {
    return process.platform !== 'linux';
  }
}

/**
 * After a reboot the pid in postmaster.pid may belong to something else, and Postgres then refuses to start. Only in
 * that case is the file removed: it also guards against backends that outlived a killed postmaster.
 */
function removeMisleadingPidFile(dataDir: string): void {
  const pidFile = join(dataDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (identifyProcess(pid) && !isPostgresOn(dataDir, pid)) rmSync(pidFile, { force: true });
}

function spawnServer(start: {
  dataDir: string;
  port: number;
  logFile: string;
  binaries: PostgresBinaries;
  runAs: RunAs;
}): ProcessIdentity {
  const log = openLog(start.logFile);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(MAX_CONNECTIONS),
  };
  const child = spawn(
    start.binaries.postgres,
    [
      ...['-D', dataArgument(start.dataDir, start.runAs), '-p', String(start.port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...start.runAs, cwd: start.dataDir, env: serverVariables(), detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  child.on('error', () => undefined); // no pid below says the same
  log.close();
  child.unref();
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (!identity) throw new Error(`Postgres ended at once; see ${start.logFile}`);
  return identity;
}

function databaseUrl({ port, password }: { port: number; password: string }): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`;
}
