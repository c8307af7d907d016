import { join } from 'node:path';
import type { Environment } from '../../config/env.js';
import { connectTemporal } from '../servers/connect.js';
import { startDevServer } from '../servers/dev-server.js';
import { ensureNamespace } from '../servers/namespace.js';
import { databaseFailure, isPostgresReady, startPostgres } from '../servers/postgres.js';
import { isPortOpen } from '../servers/ports.js';
import type { Service, StackParts } from './service.js';
import { temporalServer } from '../services.js';
import type { StackAddresses } from '../stack-state.js';
import { findTemporalCli } from '../servers/temporal-cli.js';
import { workerService } from './worker-service.js';
import { UserError } from '../../domain/failure/user-error.js';

/** The members of the stack in starting order. */
export function stackServices(parts: StackParts): Service[] {
  const { environment } = parts;
  return [
    environment.databaseUrl ? externalPostgres(environment.databaseUrl) : embeddedPostgres(parts),
    environment.temporal ? externalTemporal(parts) : devServer(parts),
    workerService(parts),
  ];
}

function embeddedPostgres({ paths, addresses }: StackParts): Service {
  return {
    name: 'postgres',
    mode: 'embedded',
    after: [],
    start: async (onProgress) => {
      const logFile = paths.logFile('postgres');
      const started = await startPostgres({ dataDir: paths.postgresDir, logFile, onProgress });
      addresses.databaseUrl = started.databaseUrl;
      return started.process;
    },
    isReady: () => isPostgresReady(addresses.databaseUrl!),
    describe: () => `at ${placeOf(addresses.databaseUrl!)}`,
    settings: () => ({}),
    decisive: [],
  };
}

function externalPostgres(databaseUrl: string): Service {
  return {
    name: 'postgres',
    mode: 'external',
    after: [],
    isReady: async (_, report) => {
      const failure = await databaseFailure(databaseUrl);
      if (failure !== undefined) report(`waiting for Postgres at ${placeOf(databaseUrl)} (${failure})`);
      return failure === undefined;
    },
    describe: () => `at ${placeOf(databaseUrl)}, named by DATABASE_URL`,
    settings: () => ({}),
    decisive: [],
  };
}

function devServer({ environment, paths, addresses }: StackParts): Service {
  let note = '';
  return {
    name: 'temporal',
    mode: 'embedded',
    after: [],
    start: async (report, stopping) => {
      const toolsDirs = [join(environment.cacheDir, 'tools'), paths.toolsDir];
      const cli = await findTemporalCli({ variables: environment.variables, toolsDirs, onProgress: report });
      stopping.throwIfAborted(); // fetching the CLI may have taken minutes
      report(`starting the dev server (Temporal CLI ${cli.version})`);
      const { temporalPort: port, temporalUiPort: uiPort } = addresses;
      const lastPorts = port && uiPort ? { port, uiPort } : undefined;
      const started = await startDevServer({
        cli,
        dataDir: paths.temporalDir,
        logFile: paths.logFile('temporal'),
        usualPorts: environment.temporalPorts,
        lastPorts,
      });
      note = started.note && ` (${started.note})`;
      addresses.temporalPort = started.port;
      addresses.temporalUiPort = started.uiPort;
      return started.process;
    },
    // gRPC pauses a second after a refused connection: knock first.
    isReady: async () =>
      (await isPortOpen(addresses.temporalPort!)) &&
      (await isTemporalReady({ environment, addresses, deadlineMs: 0, report: () => undefined })),
    describe: () =>
      `at 127.0.0.1:${addresses.temporalPort}, Web UI http://127.0.0.1:${addresses.temporalUiPort}${note}`,
    settings: () => ({}),
    decisive: [],
  };
}

function externalTemporal({ environment, addresses }: StackParts): Service {
  return {
    name: 'temporal',
    mode: 'external',
    after: [],
    isReady: (_, report) => isTemporalReady({ environment, addresses, deadlineMs: 2_000, report }),
    describe: () => `at ${environment.temporal!.address}, named by the environment`,
    settings: () => ({}),
    decisive: [],
  };
}

/** Ready means more than healthy: the namespace and its search attributes are there. */
async function isTemporalReady(ask: {
  environment: Environment;
  addresses: StackAddresses;
  deadlineMs: number;
  report: (detail: string) => void;
}): Promise<boolean> {
  const server = temporalServer(ask.environment, ask.addresses)!;
  const connection = await connectTemporal(server, { deadlineMs: ask.deadlineMs, onWaiting: ask.report }).catch(
    (error: unknown) => {
      if (!(error instanceof UserError && error.isTransient)) throw error;
      return undefined;
    },
  );
  if (!connection) return false;
  try {
    await ensureNamespace(connection, server.namespace);
    return true;
  } finally {
    await connection.close();
  }
}

function placeOf(databaseUrl: string): string {
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `${hostname}:${port || '5432'}${pathname}`;
}
