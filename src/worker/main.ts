/** The worker process: builds the real ports, polls its queues, and ends in order. Started by `up`, by `durabench worker` and by deployments. */
import type { Problem } from '../contract/problem.js';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createActivities } from '../../activities/index.js';
import { currentInstance } from '../adapters/docker/engine/instance.js';
import type { WorkerLimits } from '../contract/worker-limits.js';
import { readEnvironment, readyFileNamed, type Environment } from '../config/env.js';
import type { Records } from '../ports/records.js';
import { temporalNames } from '../domain/campaign/temporal-names.js';
import { connectTemporal, connectTemporalWorker, type Patience } from '../stack/servers/connect.js';
import { ensureNamespace, namespaceId } from '../stack/servers/namespace.js';
import { resolveServices, type TemporalServer } from '../stack/services.js';
import { createWorkers } from './create-workers.js';
import { holdLease } from './lease.js';
import { openPorts } from './open-ports.js';
import { packageRoot } from '../config/package-root.js';
import { suitePackages } from '../config/suite-packages.js';
import { bundleWith } from './package-bundle.js';
import { readWorkerSettings, type WorkerSettings } from '../config/worker-settings.js';
import { workflowCodeWith } from '../stack/code-digest.js';
import { openClient } from '../adapters/temporal/open-client.js';
import { runTakeOver } from './take-over.js';
import { runNotifier } from './notifier.js';
import { runReaper } from './reaper.js';
import { repeatPass } from './repeat-pass.js';
import { runWorkers } from './run-workers.js';
import { installTemporalRuntime } from './temporal-runtime.js';
import { watchStuck } from './watch-stuck.js';
import { createWorkerLog, type WorkerLog } from './worker-log.js';
import { problemLines } from '../domain/failure/problem-text.js';
import { UserError } from '../domain/failure/user-error.js';

/** How often a worker looks what open campaigns ask for. */
const FOLLOW_MS = 2_000;

/** Between two looks at what is due of provider batches: a query, as long as there are none. */
const COLLECT_MS = 5_000;

/** Exit code for what the user has to fix before a worker can run. */
const NOT_READY = 5;

async function main(): Promise<void> {
  const environment = readEnvironment();
  const settings = readWorkerSettings(process.argv.slice(2), environment);
  const instance = currentInstance();
  const log = createWorkerLog(environment, instance);
  const stop = stopSignal(log);
  installTemporalRuntime(log);
  const services = resolveServices(environment);
  const root = packageRoot(import.meta.url);
  const own = settings.bundle ?? join(root, 'dist', 'workflow-bundle.js');
  checkBundle(own, settings);
  const onWaiting = (message: string): void => log.warn(message);
  const patience = { onWaiting, signal: stop.signal };
  const ports = await openPorts({ environment, settings, services, instance, packageRoot: root, patience, log });
  const { namespace } = services.temporal;
  if (settings.roles.includes('workflows')) await prepareNamespace(services.temporal, patience);
  const connection = await connectTemporalWorker(services.temporal, patience);
  const firstServer = await namespaceId(connection, namespace);
  // A server that does not answer now is the one it was.
  const server = (): Promise<string> => namespaceId(connection, namespace).catch(() => firstServer);
  const polls = settings.roles.includes('workflows');
  const packages = suitePackages(environment);
  const code = polls ? workflowCodeWith(own, packages) : '';
  const folder = join(environment.stateDir, 'bundles');
  const bundle = polls && packages.length > 0 ? await bundleWith(packages, { packageRoot: root, folder, code }) : own;
  const { records } = ports.dependencies;
  const names = temporalNames(ports.installation);
  const { roles, machine, slots } = settings;
  const limits = { roles: [...roles], machine, slots };
  const beats = { server, code: polls ? code : null, limits };
  const lease = await holdLease({ records: ports.leases, instance, ...beats, log, signal: stop.signal });
  try {
    const { workers, resize } = await createWorkers({
      ...{ connection, settings, instance },
      ...{ namespace, names, bundle, code },
      activities: createActivities({ ...ports.dependencies, server, code }),
    });
    stop.signal.addEventListener('abort', () => workers.forEach((worker) => worker.shutdown()), { once: true });
    void followCampaigns({ records, resize, log, signal: stop.signal });
    if (polls) {
      const own = { client: openClient(connection, namespace), names, code: async () => code };
      const { writeReport } = ports.dependencies;
      const suites = new Set(ports.dependencies.suites.map(({ manifest }) => manifest.id));
      void runTakeOver({ own, records, writeReport, suites, server, log, signal: stop.signal });
      void runNotifier({ own, records, server, log, signal: stop.signal });
      void watchStuck({ own, records, server, log, signal: stop.signal });
    }
    // Where the keys of models are.
    if (settings.roles.includes('model'))
      void repeatPass({
        pass: () => ports.collectBatches(stop.signal),
        unable: 'provider batches cannot be looked after now',
        ...{ log, signal: stop.signal, pauseMs: COLLECT_MS },
      });
    void runReaper({ reap: async () => ({ ...(await ports.reap()) }), log, signal: stop.signal });
    await runWorkers(workers, async () => {
      log.info({ ...settings, temporal: services.temporal.address }, 'polling');
      await writeReadyFile(environment, limits, instance);
    });
    await connection.close();
  } finally {
    await lease.release();
    await ports.close();
    if (environment.readyFile) await rm(environment.readyFile, { force: true });
  }
  log.info('stopped');
}

/**
 * Keeps the slots at what open campaigns ask for. A campaign begins with a few seconds of workflow tasks: what it asks for is
 * known before its first calls wait. While Postgres is unavailable, they stay.
 */
async function followCampaigns(parts: {
  records: Pick<Records, 'openConcurrency'>;
  resize: (open: Awaited<ReturnType<Records['openConcurrency']>>) => void;
  log: Pick<WorkerLog, 'debug'>;
  signal: AbortSignal;
}): Promise<void> {
  const { records, resize, log, signal } = parts;
  while (!signal.aborted) {
    await records.openConcurrency().then(resize, (error: unknown) => {
      log.debug({ error: String(error) }, 'open campaigns were not read');
    });
    await sleep(FOLLOW_MS, undefined, { signal }).catch(() => undefined); // an abort only ends it early
  }
}

/** Closing workflows write search attributes; where one is not registered, they could not close. */
async function prepareNamespace(server: TemporalServer, patience: Patience): Promise<void> {
  const connection = await connectTemporal(server, patience);
  await ensureNamespace(connection, server.namespace).finally(() => connection.close());
}

function checkBundle(bundle: string, { roles }: WorkerSettings): void {
  if (!roles.includes('workflows') || existsSync(bundle)) return;
  throw new UserError('environment', {
    message: `There is no workflow bundle at ${bundle}.`,
    fix: 'npm run build',
  });
}

/** Aborts at the first SIGTERM or SIGINT; a second SIGINT ends the process at once, as a person means it to. */
function stopSignal(log: WorkerLog): AbortController {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stop.signal.aborted && name === 'SIGINT') process.exit(130);
    log.info({ signal: name }, 'stopping: calls that were sent finish, at most 120 s');
    stop.abort(new Error(name));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return stop;
}

/** Tells whoever started this worker that it polls. */
async function writeReadyFile(environment: Environment, limits: WorkerLimits, instance: string): Promise<void> {
  if (!environment.readyFile) return;
  const ready = { pid: process.pid, startedAt: new Date().toISOString(), instance, limits };
  await writeFile(environment.readyFile, `${JSON.stringify(ready)}\n`);
}

/** Tells whoever started this worker why it cannot begin; the environment may be what is wrong. */
async function sayWhy(problems: readonly Problem[]): Promise<void> {
  const file = readyFileNamed();
  if (file !== undefined) await writeFile(file, `${JSON.stringify({ problems })}\n`).catch(() => undefined);
}

/** As commands show it: `durabench worker` is one. */
const shownProblem = (problem: Problem): string => `error: ${problemLines(problem).join('\n  ')}`;

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

try {
  await main();
} catch (error) {
  const isForUsers = error instanceof UserError;
  if (isForUsers) await sayWhy(error.problems);
  if (error instanceof Error && ['SIGTERM', 'SIGINT'].includes(error.message)) process.exit(0);
  process.stderr.write(`${isForUsers ? error.problems.map(shownProblem).join('\n') : stackOf(error)}\n`);
  process.exit(isForUsers ? NOT_READY : 1);
}
