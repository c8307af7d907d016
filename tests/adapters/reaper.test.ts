import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { contentVolume } from '../../src/adapters/docker/volumes/content-volumes.js';
import { markOf } from '../../src/adapters/docker/volumes/filled-volume.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { LABEL, ownerLabels } from '../../src/adapters/docker/engine/labels.js';
import { reapLeftovers, type Leftovers } from '../../src/adapters/docker/sandbox/leftovers.js';
import { makeScratch } from '../../src/adapters/docker/sandbox/scratch.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import type { Records } from '../../src/ports/records.js';
import { deadInstance } from '../fixtures/docker/dead-instance.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

const docker = connectDocker();
let database: MigratedDatabase;
let records: Records;
let installation: string;
let folder: string;
let image: string;
let releases: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  records = createRecords(database);
  installation = await records.installation();
  const cacheFolder = await mkdtemp(join(tmpdir(), 'reaper-images-'));
  [image = ''] = await ensureImages(cacheFolder, 'base');
  await rm(cacheFolder, { recursive: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reaper-'));
});

afterEach(async () => {
  await Promise.allSettled(releases.map((release) => release()));
  releases = [];
  await rm(folder, { recursive: true, force: true });
});

afterAll(async () => {
  await database.close();
});

const reap = (contentIdleSeconds?: number): Promise<Leftovers> =>
  reapLeftovers({
    ...{ docker, leases: records, scratchParents: [folder] },
    ...(contentIdleSeconds === undefined ? {} : { contentIdleSeconds }),
  });

/** A container of that owner. */
async function containerOf(instance: string, of: string | null = installation, volume?: string): Promise<string> {
  const container = await docker.createContainer({
    ...{ Image: image, Cmd: ['sleep', '600'], Labels: ownerLabels(instance, of) },
    HostConfig: volume === undefined ? {} : { Mounts: [{ Type: 'volume', Source: volume, Target: '/content' }] },
  });
  releases.push(() => container.remove({ force: true }));
  return container.id;
}

async function isThere(id: string): Promise<boolean> {
  return docker
    .getContainer(id)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

const elsewhere = (): string => `another-host/1/${randomBytes(4).toString('hex')}.1`;

async function lease(instance: string, seconds: number, isRetired = false): Promise<void> {
  await records.beatWorker({ instance, host: 'another-host', pid: 1 });
  await sql`update workers set lease_until = now() + make_interval(secs => ${seconds}) where instance = ${instance}`.execute(
    database.kysely,
  );
  if (isRetired) await records.retireWorker(instance);
}

test('an installation keeps its name, and another one has another', async () => {
  expect(await records.installation()).toBe(installation);
  const other = await migratedDatabase();
  expect(await createRecords(other).installation()).not.toBe(installation);
  await other.close();
});

test('containers whose owner is gone go; those of the living, near and far, and of other installations stay', async () => {
  const [dead, far, retired, just] = [await deadInstance(), elsewhere(), elsewhere(), elsewhere()];
  await lease(dead, 30);
  await lease(far, 30);
  await lease(retired, 30, true);
  // Its next beat may be on its way, or the database was away.
  await lease(just, -1);
  // This process lives, whatever its lease says.
  await lease(currentInstance(), -3600);
  const gone = [await containerOf(dead), await containerOf(dead, null), await containerOf(retired)];
  const kept = [
    await containerOf(far),
    await containerOf(just),
    await containerOf(currentInstance()),
    await containerOf(elsewhere()),
    await containerOf(dead, randomUUID()),
    await containerOf(retired, randomUUID()),
    await containerOf(''),
  ];
  // The one without an installation is anybody's to remove: a neighbour on this machine may have been faster.
  expect((await reap()).containers).toBeGreaterThanOrEqual(gone.length - 1);
  expect(await Promise.all(gone.map(isThere))).toEqual(gone.map(() => false));
  expect(await Promise.all(kept.map(isThere))).toEqual(kept.map(() => true));
});

test('the disk of a nested engine, a volume without a name, goes with its container', async () => {
  const container = await docker.createContainer({
    ...{ Image: image, Cmd: ['sleep', '600'], Labels: ownerLabels(await deadInstance(), installation) },
    HostConfig: { Mounts: [{ Type: 'volume', Source: '', Target: '/var/lib/docker' }] },
  });
  releases.push(() => container.remove({ force: true, v: true }));
  await container.start();
  const { Mounts: mounts } = await container.inspect();
  const volume = docker.getVolume(mounts[0]?.Name ?? '');
  await volume.inspect();
  await reap();
  expect(await isThere(container.id)).toBe(false);
  await expect(volume.inspect()).rejects.toMatchObject({ statusCode: 404 });
});

test('the lease of a worker killed on this machine ends at once: its calls may be taken over', async () => {
  const dead = await deadInstance();
  await lease(dead, 30);
  expect(await records.unretiredWorkers()).toContain(dead);
  await reap();
  expect(await records.unretiredWorkers()).not.toContain(dead);
  expect(await records.lapsedWorkers([dead])).toEqual([dead]);
});

test('networks go with their owner', async () => {
  const made = await Promise.all(
    [await deadInstance(), currentInstance()].map(async (instance) => {
      const Name = `reaper-test-${randomBytes(4).toString('hex')}`;
      const network = await docker.createNetwork({ Name, Internal: true, Labels: ownerLabels(instance, installation) });
      releases.push(() => network.remove() as Promise<unknown>);
      return network;
    }),
  );
  expect((await reap()).networks).toBeGreaterThanOrEqual(1);
  const labelled = await docker.listNetworks({ filters: { label: [LABEL.instance] } });
  expect(made.map(({ id }) => labelled.some((network) => network.Id === id))).toEqual([false, true]);
});

test('scratch folders go with their owner, and nothing else does whatever its name', async () => {
  const own = await makeScratch(folder);
  const token = (instance: string): string => Buffer.from(instance).toString('base64url');
  const orphan = `durabench-scratch.${token(await deadInstance())}.abcdef`;
  const others = ['durabench-scratch', `durabench-scratch.${token(elsewhere())}.abcdef`, 'durabench-engine-1'];
  for (const name of [orphan, ...others]) await mkdir(join(folder, name, 'inside'), { recursive: true });
  expect((await reap()).scratch).toBe(1);
  expect((await readdir(folder)).sort()).toEqual([own.slice(folder.length + 1), ...others].sort());
});

test('content goes when nobody used it for so long, not while a container holds it, and never what is not ours', async () => {
  const [idle, held, foreign] = await Promise.all([content(), content(), content()]);
  await records.noteContentUse({ instance: elsewhere(), volumes: [idle, held] });
  await containerOf(currentInstance(), installation, held);
  expect((await reap(3600)).contents).toBe(0);
  expect((await reap(0)).contents).toBe(1);
  const left = (await docker.listVolumes()).Volumes.map((volume) => volume.Name);
  const marks = [idle, held, foreign].flatMap((name) => [name, markOf(name)]);
  expect(marks.map((name) => left.includes(name))).toEqual([false, false, true, true, true, true]);
  expect(await records.idleContent(0)).toEqual([held]);
});

/** A filled content volume. Without the label by which `clean` of a neighbour on this machine would find and take it. */
async function content(): Promise<string> {
  const sha256 = sha256Hex(randomBytes(16));
  const name = contentVolume({ sha256, path: '/candidate' });
  for (const volume of [name, markOf(name)]) {
    await docker.createVolume({ Name: volume });
    releases.unshift(() => docker.getVolume(volume).remove({ force: true }));
  }
  return name;
}

test('without Docker the dead are buried and scratch folders go all the same', async () => {
  const dead = await deadInstance();
  await lease(dead, 30);
  await mkdir(join(folder, `durabench-scratch.${Buffer.from(dead).toString('base64url')}.abcdef`));
  const away = new Docker({ socketPath: join(folder, 'no-such.sock') });
  const pass = reapLeftovers({ docker: away, leases: records, scratchParents: [folder] });
  await expect(pass).rejects.toMatchObject({ type: 'sandbox.unavailable' });
  expect(await readdir(folder)).toEqual([]);
  expect(await records.unretiredWorkers()).not.toContain(dead);
});
