import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markOf } from '../../src/adapters/docker/volumes/filled-volume.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { startDockerDaemon, whyNoOwnDaemon, type OwnDockerDaemon } from '../fixtures/chaos/docker-daemon.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

/** On a Docker engine of its own: what this test removes with --yes may be used by others on the machine's. */
const why = whyNoOwnDaemon();
const OLD = new Date(Date.now() - 3 * 24 * 3600 * 1000);

let daemon: OwnDockerDaemon;
let database: MigratedDatabase;
let blobs: string;
let project: CliProject;

beforeAll(async () => {
  if (why !== null) return;
  [daemon, database, blobs] = await Promise.all([
    startDockerDaemon(),
    migratedDatabase(),
    mkdtemp(join(tmpdir(), 'durabench-blobs-')),
  ]);
  project = await createCliProject({
    ...{ DATABASE_URL: database.databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:9', DOCKER_HOST: daemon.host },
    DURABENCH_BLOBS: blobs,
  });
});

afterAll(async () => {
  await project?.close();
  await daemon?.close();
  await database?.close();
  if (blobs) await rm(blobs, { recursive: true, force: true });
});

async function content(): Promise<string> {
  const sha256 = randomBytes(32).toString('hex');
  const name = `durabench-content-${sha256.slice(0, 40)}`;
  for (const volume of [name, markOf(name)])
    await daemon.docker.createVolume({ Name: volume, Labels: { [LABEL.content]: sha256 } });
  return name;
}

const volumes = async (): Promise<string[]> => (await daemon.docker.listVolumes()).Volumes.map(({ Name }) => Name);

/** A blob that this database knows nothing of. */
async function foreignBlob(): Promise<string> {
  const sha256 = randomBytes(32).toString('hex');
  const folder = join(blobs, 'sha256', sha256.slice(0, 2));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, sha256), 'of another database');
  await utimes(join(folder, sha256), OLD, OLD);
  return sha256;
}

const blobFiles = async (): Promise<string[]> =>
  (await readdir(join(blobs, 'sha256'), { recursive: true })).map(String);

test.skipIf(why !== null)('what other stacks may use is listed and kept, until --yes', async () => {
  const [own, others] = [await content(), await content()];
  await createRecords(database).noteContentUse({ instance: 'elsewhere/1/x', volumes: [own] });
  const blob = await foreignBlob();

  const dry = await project.durabench('clean', '--dry-run');
  expect(dry.code, dry.stderr).toBe(0);
  expect(dry.stdout).toMatch(/contents {5}2 would be removed/);
  expect(dry.stdout).toMatch(/other stacks on this machine may use:\n {2}1 sandbox contents/);
  expect(dry.stdout).toContain(blobs);
  expect(await volumes()).toEqual(expect.arrayContaining([own, others]));

  const kept = await project.durabench('clean');
  expect(kept.code, kept.stderr).toBe(0);
  expect(kept.stdout).toMatch(/contents {5}1 removed/);
  expect(kept.stdout).toContain('durabench clean --yes');
  expect((await volumes()).sort()).toEqual([others, markOf(others)].sort());
  expect((await blobFiles()).some((name) => name.endsWith(blob))).toBe(true);

  expect(await project.json(['clean', '--yes'])).toMatchObject({
    ...{ removed_contents: 1, removed_blobs: 1, kept_shared: 0 },
  });
  expect(await volumes()).toEqual([]);
  expect((await blobFiles()).some((name) => name.endsWith(blob))).toBe(false);
});
