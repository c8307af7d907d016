import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { startDockerDaemon, whyNoOwnDaemon, type OwnDockerDaemon } from '../fixtures/chaos/docker-daemon.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { startEngine, type Engine, type TestWorker } from '../fixtures/engine/engine.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { waitUntil } from '../fixtures/wait-until.js';

/** Campaigns of real tasks, whose workers lack the image (their Docker engine has none) or the dataset (their blob store is empty). */
const why = whyNoOwnDaemon();
const TASKS = 3;
const IMAGES = ['base', 'repocraft-requests'];

let database: FreshDatabase;
let engine: Engine;
let daemon: OwnDockerDaemon;
let project: CliProject;
let imageTags: string[];
let emptyBlobs: string;
let workers: TestWorker[] = [];

beforeAll(async () => {
  if (why !== null) return;
  [database, daemon, emptyBlobs] = await Promise.all([
    freshDatabase(),
    startDockerDaemon(),
    mkdtemp(join(tmpdir(), 'durabench-blobs-')),
  ]);
  engine = await startEngine(database.databaseUrl);
  imageTags = await ensureImages(join(engine.folder, 'cache'), ...IMAGES);
  project = await createCliProject({
    ...{ DATABASE_URL: database.databaseUrl, TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: engine.namespace },
    DURABENCH_HOME: engine.folder,
  });
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
});

afterAll(async () => {
  await engine?.close();
  await project?.close();
  await database?.drop();
  await daemon?.close();
  if (emptyBlobs) await rm(emptyBlobs, { recursive: true, force: true });
});

async function worker(roles: string, variables: Record<string, string> = {}): Promise<void> {
  workers.push(await engine.startWorker({ arguments: ['--roles', roles], variables }));
}

async function start(): Promise<string> {
  const file = join(project.folder, 'campaign.yaml');
  await writeFile(
    file,
    `name: lacking
suite: repocraft
dataset: { projects: [requests], limit: ${TASKS} }
systems:
  - { id: gold, generator: gold, vote: { voter: oracle } }
concurrency: { batches: 1, trials: 8, sandbox: 2 }
`,
  );
  const { campaign_id: id } = await project.json<{ campaign_id: string }>(['run', file, '--detach']);
  return id;
}

/** What `status` says that the campaign waits for, from the first line that matches. */
async function expectWaiting(id: string, words: RegExp): Promise<void> {
  let text = '';
  const says = async (): Promise<boolean> => words.test((text = (await project.durabench('status', id)).stdout));
  expect(await waitUntil(says), text).toBe(true);
  expect((await engine.records.campaign(id)).trials).toMatchObject({ errored: 0, failed: 0, not_run: 0 });
}

async function expectAllPassed(id: string): Promise<void> {
  const isClosed = async (): Promise<boolean> =>
    (await project.json<StatusReport>(['status', id])).campaign.status === 'completed';
  expect(await waitUntil(isClosed)).toBe(true);
  expect((await engine.records.campaign(id)).trials).toMatchObject({ planned: TASKS, passed: TASKS });
  expect(await engine.records.waits(id)).toEqual([]);
}

const lacksImage = (name: string): RegExp =>
  new RegExp(
    `waiting for a worker with the image since [^\\n]*: worker \\S+: image "${name}" [^]*durabench images build ${name}`,
  );

test.skipIf(why !== null)('a worker without the image waits beside one that has it, which does the work', async () => {
  await worker('workflows,light,model');
  await worker('sandbox', { DOCKER_HOST: daemon.host });
  const id = await start();
  await expectWaiting(id, lacksImage('base'));
  await worker('sandbox');
  await expectAllPassed(id);
  expect(await daemon.docker.listContainers({ all: true })).toEqual([]);
});

test.skipIf(why !== null)('a worker alone goes on by itself once its engine has the image', async () => {
  await worker('workflows,light,model');
  await worker('sandbox', { DOCKER_HOST: daemon.host });
  const id = await start();
  // What was parsed before is not parsed again: the first one may not be needed any more.
  await expectWaiting(id, lacksImage(`(?:${IMAGES.join('|')})`));
  for (const tag of imageTags) await daemon.copyImage(tag);
  await expectAllPassed(id);
});

test.skipIf(why !== null)('a worker alone goes on by itself once the dataset is in its blob store', async () => {
  await worker('workflows,light,model,sandbox', { DURABENCH_BLOBS: emptyBlobs });
  const id = await start();
  await expectWaiting(
    id,
    /waiting for a worker with the dataset since [^\n]*: worker \S+: [^]*durabench dataset fetch repocraft --project requests/,
  );
  const there = await createCliProject({ DURABENCH_BLOBS: emptyBlobs, DURABENCH_HOME: engine.folder });
  await there.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
  await rm(there.folder, { recursive: true });
  await expectAllPassed(id);
});
