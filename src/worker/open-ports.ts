import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityDependencies } from '../../activities/dependencies.js';
import { createFileBlobs } from '../adapters/blobs/file-blobs.js';
import { connectDocker } from '../adapters/docker/engine/connect-docker.js';
import { createDockerSandbox } from '../adapters/docker/sandbox/docker-sandbox.js';
import { reapLeftovers, type Leftovers } from '../adapters/docker/sandbox/leftovers.js';
import { createPackageIndex } from '../adapters/docker/pip/package-index.js';
import { createFileDownloads } from '../adapters/http/file-downloads.js';
import { createMessenger } from '../adapters/http/messenger.js';
import { createProcessMemory } from '../adapters/memory/process-memory.js';
import { createOnnxEmbedder } from '../adapters/onnx/onnx-embedder.js';
import { createOpenAiBatchApi } from '../adapters/openai/batch-api.js';
import { createOpenAiModel } from '../adapters/openai/openai-model.js';
import { openDatabase } from '../adapters/postgres/schema/database.js';
import { createLedger } from '../adapters/postgres/ledger/ledger.js';
import { createProviderBatches } from '../adapters/postgres/ledger/provider-batches.js';
import { createPacing } from '../adapters/postgres/ledger/ledger-pacing.js';
import { migrate } from '../adapters/postgres/schema/migrate.js';
import { createRecords } from '../adapters/postgres/records.js';
import type { Environment } from '../config/env.js';
import { temporalNames } from '../domain/campaign/temporal-names.js';
import { createLimiter } from '../limiter/limiter.js';
import type { LimiterEvent } from '../limiter/permit.js';
import { collectBatches, type BatchCollectorParts } from '../ledger/batch-collector.js';
import { createMeteredModel } from '../ledger/metered-model.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { notificationBody } from '../report/notification-body.js';
import { currentReport, lastReport } from '../report/report-files.js';
import { readSubject } from '../report/report-subject.js';
import type { Leases } from '../ports/leases.js';
import type { Patience } from '../stack/servers/connect.js';
import { workflowUrl, type Services } from '../stack/services.js';
import type { WorkerSettings } from '../config/worker-settings.js';
import type { WorkerLog } from './worker-log.js';
import { suiteFolder } from '../config/suite-folder.js';
import { allSuites, suiteNamed } from '../suite/registry.js';

const RETRY_MS = 500;
// Often enough to see that it still tries, seldom enough for a log.
const REPEAT_MESSAGE_MS = 15_000;

/** The real ports of a worker, and how they are closed. */
export interface OpenPorts {
  /** All but the server, which only Temporal can name, and the workflow code, which is no port. */
  dependencies: Omit<ActivityDependencies, 'server' | 'code'>;
  /** On a connection of its own: a sign of life waits behind no queue of work. */
  leases: Leases;
  /** Id of the installation, which is the database's. */
  installation: string;
  /** One pass over the provider batches that are due; fails while Postgres is unavailable. */
  collectBatches(signal: AbortSignal): Promise<void>;
  /** One pass over what dead workers left; fails while Docker or Postgres is unavailable. */
  reap(): Promise<Leftovers>;
  close(): Promise<void>;
}

/** Builds every port once. Docker, the embedder and the model are reached only when a stage needs them. */
export async function openPorts(parts: {
  environment: Environment;
  settings: WorkerSettings;
  services: Services;
  instance: string;
  packageRoot: string;
  patience: Patience;
  log: WorkerLog;
}): Promise<OpenPorts> {
  const { environment, settings, services, instance, packageRoot, log } = parts;
  const database = openDatabase({ connectionString: services.databaseUrl, maxConnections: connections(settings) });
  await retryUntilAvailable(() => migrate(database), parts.patience);
  const records = createRecords(database);
  const ofLease = openDatabase({ connectionString: services.databaseUrl, maxConnections: 1 });
  const ledger = createLedger(database);
  const blobs = createFileBlobs({ folder: environment.blobsDir });
  const model = createOpenAiModel({ readKey: environment.variable });
  const report = (event: LimiterEvent): void => log.info(event, 'pace of model calls');
  const limiter = createLimiter({ pacing: createPacing(database), worker: instance, report });
  const collector: BatchCollectorParts = {
    ...{ ledger, blobs, worker: instance, batches: createProviderBatches(database) },
    api: createOpenAiBatchApi({ readKey: environment.variable }),
    report: ({ what, ...event }) => log.info(event, `provider batch ${what}`),
  };
  const metered = createMeteredModel({ model, ledger, blobs, worker: instance, limiter });
  const slots = settings.slots.sandbox.most;
  const { cacheDir, stateDir, variable } = environment;
  const docker = connectDocker();
  const installation = { id: await retryUntilAvailable(() => records.installation(), parts.patience), leases: records };
  const sandbox = createDockerSandbox({
    ...{ docker, instance, installation, packageRoot, slots, blobs },
    ...{ stateFolder: stateDir, minimumFreeBytes: environment.minimumFreeBytes },
  });
  const cacheFolder = join(stateDir, 'cache');
  const packages = createPackageIndex({ packageRoot, cacheFolder, variable });
  const downloads = createFileDownloads({ folder: join(cacheDir, 'downloads') });
  const embedder = await createOnnxEmbedder({ cacheFolder: cacheDir, packageRoot, packages, variable });
  const suites = await allSuites(environment);
  const folders = new Map(suites.map((suite) => [suite.manifest.id, suiteFolder(packageRoot, suite)]));
  const workflowUrlHere = (id: string): string | undefined => workflowUrl(services.temporal, id);
  return {
    dependencies: {
      ...{ records, blobs, sandbox, embedder, packages, downloads, memory: createProcessMemory() },
      ...{ messenger: createMessenger({ variable }), notificationBody },
      ask: (asker, question) => metered.ask(asker, question),
      suites,
      suiteFolder: (suiteId) => folders.get(suiteId) ?? '',
      downloadsFolder: (suiteId) => join(cacheDir, 'datasets', suiteId),
      writeReport: async (id) => {
        const subject = await readSubject(
          {
            ...{ records, blobs, names: temporalNames(installation.id), packageRoot, workflowUrl: workflowUrlHere },
            suiteNamed: (id) => suiteNamed(id, environment),
          },
          id,
        );
        // The command that watches the campaign may have been faster.
        await currentReport({ ...subject, report: await lastReport(subject, stateDir) }, stateDir);
      },
      worker: instance,
    },
    leases: createRecords(ofLease),
    installation: installation.id,
    collectBatches: (signal) => collectBatches(collector, signal),
    reap: () => reapLeftovers({ docker, leases: records, scratchParents: [tmpdir(), cacheFolder] }),
    close: async () => {
      await sandbox.close().catch(() => undefined); // the reaper of the next worker takes what is left
      await database.close();
      await ofLease.close();
    },
  };
}

/** Postgres may start after the worker, or be unavailable for a moment: wait for it, as for Temporal. */
async function retryUntilAvailable<Result>(
  reach: () => Promise<Result>,
  { onWaiting, signal }: Patience,
): Promise<Result> {
  let saidAt = -Infinity;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await reach();
    } catch (error) {
      if (!(error instanceof DomainFailure) || error.type !== 'records.unavailable') throw error;
      if (Date.now() - saidAt >= REPEAT_MESSAGE_MS) {
        saidAt = Date.now();
        onWaiting?.(`waiting for Postgres (${error.message})`);
      }
      await sleep(RETRY_MS, undefined, signal ? { signal } : {});
    }
  }
}

/** Every slot may be in a transaction at once, and a few record activities beside them. */
function connections({ slots }: WorkerSettings): number {
  const needed = slots.light.most + slots.model.most + slots.sandbox.most + 8;
  // Transactions take milliseconds, so slots share; Postgres allows 100 to 200 connections over all processes.
  return Math.min(24, needed);
}
