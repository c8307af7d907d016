import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ContainerInfo } from 'dockerode';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { markOf } from '../../src/adapters/docker/volumes/filled-volume.js';
import { LABEL, ownerLabels } from '../../src/adapters/docker/engine/labels.js';
import { openDatabase, type Database } from '../../src/adapters/postgres/schema/database.js';
import type { CampaignRow } from '../../src/ports/records.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { startEngine, type Engine, type TestWorker } from '../fixtures/engine/engine.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

/** Two machines, as it were: each with its Temporal server, worker and campaign; Postgres, blobs and Docker are shared. */
interface Machine {
  engine: Engine;
  worker: TestWorker;
  /** The worker's name in its lease and on labels. */
  instance: string;
  project: CliProject;
}

/** Enough that the living one is still at it when everything of the dead one is gone. */
const TASKS = 20;
const docker = connectDocker();
const networks: string[] = [];
let fresh: FreshDatabase;
let database: Database;
let folder: string;
let dying: Machine;
let living: Machine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-two-'));
  await ensureImages(join(folder, 'cache'), 'base', 'repocraft-requests');
  fresh = await freshDatabase();
  database = openDatabase({ connectionString: fresh.databaseUrl, maxConnections: 2 });
  dying = await startMachine();
  living = await startMachine();
  await living.project.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
});

afterAll(async () => {
  for (const machine of [dying, living]) {
    await machine?.project.close();
    await machine?.engine.close();
  }
  for (const name of networks) await (docker.getNetwork(name).remove() as Promise<unknown>).catch(() => undefined);
  await database?.close();
  await fresh?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function startMachine(): Promise<Machine> {
  const engine = await startEngine(fresh.databaseUrl);
  const variables = { DURABENCH_BLOBS: join(folder, 'blobs'), TMPDIR: folder };
  const worker = await engine.startWorker({ variables });
  const project = await createCliProject({
    ...{ DATABASE_URL: fresh.databaseUrl, TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: engine.namespace },
    ...{ DURABENCH_HOME: engine.folder, ...variables },
  });
  const instances = await engine.records.unretiredWorkers();
  const instance = instances.find((name) => name.split('/')[1] === String(worker.pid)) ?? '';
  return { engine, worker, instance, project };
}

/** Starts a campaign on a machine and gives its id. */
async function launch({ project }: Machine, name: string, ...systems: string[]): Promise<string> {
  const file = join(project.folder, `${name}.yaml`);
  await writeFile(
    file,
    `name: ${name}
suite: repocraft
dataset: { projects: [requests], limit: ${TASKS} }
systems:
${systems.map((system) => `  - ${system}\n`).join('')}concurrency: { batches: 2, trials: 4, sandbox: 1 }
`,
  );
  const { stdout, stderr } = await project.durabench('run', file, '--detach', '--json');
  if (!stdout.startsWith('{')) throw new Error(`${stdout}\n${stderr}`);
  return (JSON.parse(stdout.split('\n')[0] ?? '') as { campaign_id: string }).campaign_id;
}

async function containersOf({ instance }: Machine): Promise<ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: { label: [`${LABEL.instance}=${instance}`] } });
}

/** Volumes with content that its worker used, and the other one did not. */
async function ownVolumes({ instance }: Machine): Promise<string[]> {
  const { rows } = await sql<{ volume: string }>`
    select volume from content_uses group by volume having array_agg(instance) = ${[instance]}::text[]`.execute(
    database.kysely,
  );
  return rows.map(({ volume }) => volume);
}

/** Volumes that its containers hold. */
async function heldVolumes(machine: Machine): Promise<string[]> {
  const mounts = (await containersOf(machine)).flatMap(({ Mounts }) => Mounts);
  return [...new Set(mounts.flatMap(({ Name }) => Name ?? []))];
}

async function trialsOf(campaignId: string): Promise<CampaignRow['trials']> {
  return (await living.engine.records.campaign(campaignId)).trials;
}

/** What a campaign's own sandboxes do without, and a suite may have: a network and a folder for temporary files. */
async function addNetworkAndScratch({ engine, instance }: Machine): Promise<{ network: string; scratch: string }> {
  const token = Buffer.from(instance).toString('base64url');
  const network = `durabench-test-${token.slice(-24)}`;
  networks.push(network);
  const labels = ownerLabels(instance, await engine.records.installation());
  await docker.createNetwork({ Name: network, Internal: true, Labels: labels });
  const scratch = `durabench-scratch.${token}.abcdef`;
  await mkdir(join(folder, scratch, 'inside'), { recursive: true });
  return { network, scratch };
}

test('of two campaigns one is killed: what was its goes, and the other one ends as if nothing had been', async () => {
  const snapshot = join(PACKAGE_ROOT, 'tests', 'fixtures', 'repocraft', 'snapshot-library');
  const gold = '{ id: gold, generator: gold, vote: { voter: oracle } }';
  const own = `{ id: own, generator: snapshot, path: '${snapshot}', vote: { voter: heuristic } }`;
  const deadId = await launch(dying, 'dying', gold, own);
  const id = await launch(living, 'living', gold);
  const areRunning = async (): Promise<boolean> =>
    (await ownVolumes(dying)).length > 0 &&
    (await heldVolumes(dying)).length > 0 &&
    (await heldVolumes(living)).length > 0 &&
    (await trialsOf(id)).done > 0;
  expect(await waitUntil(areRunning)).toBe(true);
  const [ofTheDead, ofTheLiving] = [await addNetworkAndScratch(dying), await addNetworkAndScratch(living)];

  // The living worker may take them the moment their owner is dead.
  expect(await containersOf(dying)).not.toEqual([]);
  await dying.worker.stop('SIGKILL');
  await dying.engine.killServer();
  const cutOff = await trialsOf(deadId);
  expect(cutOff.done).toBeLessThan(cutOff.planned);
  const [deadVolumes, livingVolumes] = [await ownVolumes(dying), await heldVolumes(living)];
  // Otherwise there is no life to disturb.
  expect((await trialsOf(id)).done).toBeLessThan(TASKS);
  // What other stacks on this machine use is left to them.
  await living.project.json(['clean']);

  expect(await containersOf(dying)).toEqual([]);
  expect(await containersOf(living)).not.toEqual([]);
  const volumes = (await docker.listVolumes()).Volumes.map(({ Name }) => Name);
  expect(volumes.filter((name) => deadVolumes.includes(name))).toEqual([]);
  expect(volumes).toEqual(expect.arrayContaining(livingVolumes.flatMap((name) => [name, markOf(name)])));
  const networksLeft = (await docker.listNetworks()).map(({ Name }) => Name);
  expect(networksLeft.filter((name) => networks.includes(name))).toEqual([ofTheLiving.network]);
  const scratch = (await readdir(folder)).filter((name) => name.startsWith('durabench-scratch'));
  expect(scratch).toContain(ofTheLiving.scratch);
  expect(scratch).not.toContain(ofTheDead.scratch);

  const hasEnded = async (): Promise<boolean> => (await living.engine.records.campaign(id)).status === 'completed';
  expect(await waitUntil(hasEnded)).toBe(true);
  expect(await trialsOf(id)).toMatchObject({ planned: TASKS, passed: TASKS });
  const trials = await living.engine.records.trials(id);
  const details = await Promise.all(trials.map((trial) => living.engine.records.trial(trial.id)));
  expect(details.filter(({ runs }) => runs.length > 1)).toEqual([]);
  expect(details.flatMap(({ attempts }) => attempts.flatMap(({ failure }) => failure ?? []))).toEqual([]);
});
