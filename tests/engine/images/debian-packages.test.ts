import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../../src/adapters/docker/engine/connect-docker.js';
import { runBuild } from '../../../src/adapters/docker/images/build-container.js';
import {
  downloadDebs,
  INSTALL_DEBS,
  readDebLock,
  type PinnedDeb,
} from '../../../src/adapters/docker/images/deb-packages.js';
import { createImages, type Images } from '../../../src/adapters/docker/images/images.js';
import { createPackageIndex } from '../../../src/adapters/docker/pip/package-index.js';
import { packFolder } from '../../../src/adapters/docker/engine/tar-archive.js';
import { readEnvironment } from '../../../src/config/env.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import { ensureImages } from '../../fixtures/docker/ensure-images.js';
import { lockDebs } from '../../fixtures/docker/lock-debs.js';
import { PACKAGE_ROOT } from '../../fixtures/package-root.js';

// Debian packages by name, version and hash, from the mirror that containers reach: locked, downloaded, installed without a network.

const docker = connectDocker();
const { variable } = readEnvironment();
const made: string[] = [];
let folder: string;
let base: string;
let lock: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-debs-'));
  [base = ''] = await ensureImages(readEnvironment().cacheDir, 'base');
  lock = await lockDebs(base, ['jq']);
});

afterAll(async () => {
  for (const image of made) await docker.getImage(image).remove({ force: true });
  await rm(folder, { recursive: true, force: true });
});

/** A package root with a recipe `locked` on the base. */
async function imagesWith(debianLock: string): Promise<Images> {
  const root = await mkdtemp(join(folder, 'package-'));
  const recipes = join(root, 'deploy', 'images');
  await mkdir(join(recipes, 'locked'), { recursive: true });
  await cp(join(PACKAGE_ROOT, 'deploy', 'images', 'base'), join(recipes, 'base'), { recursive: true });
  await writeFile(
    join(recipes, 'locked', 'recipe.yaml'),
    'name: locked\nkind: composed\nbase: base\nmachine: x86_64\ndebian: [jq]\nbuild: jq --version\n',
  );
  await writeFile(join(recipes, 'locked', 'debian.lock.txt'), debianLock);
  return createImages({ docker, packageRoot: root, cacheFolder: join(root, 'cache'), variable });
}

/** What a script prints in an image. */
async function says(image: string, script: string): Promise<string> {
  const container = await docker.createContainer({ Image: image, Cmd: ['sh', '-c', script], Tty: true });
  try {
    await container.start();
    await container.wait();
    return (await container.logs({ stdout: true, stderr: true })).toString('utf8').replaceAll('\r', '');
  } finally {
    await container.remove({ force: true });
  }
}

const VERSIONS = "dpkg-query -W -f '${Package} ${Version}\\n' jq libjq1 libonig5; jq -Mn '1+1'";

test('an image on locked packages holds these versions, whatever its base had of them before', async () => {
  const locked = readDebLock(lock);
  expect(locked.map(({ name }) => name)).toEqual(expect.arrayContaining(['jq', 'libjq1', 'libonig5', 'libc6']));
  const images = await imagesWith(lock);
  const { tag } = await images.ensure('locked', () => undefined);
  const debian = (await docker.listImages()).find(({ RepoTags: tags }) =>
    tags?.some((each) => each.startsWith('durabench/locked-debian:')),
  );
  made.push(tag, debian!.Id);
  const version = (name: string): string => locked.find((deb) => deb.name === name)?.version ?? '';
  const expected = `${['jq', 'libjq1', 'libonig5'].map((name) => `${name} ${version(name)}\n`).join('')}2\n`;
  expect(await says(tag, VERSIONS)).toBe(expected);

  // Another base: it has a part of them, one marked as newer, which stays.
  const debs = await mkdtemp(join(folder, 'debs-'));
  await downloadDebs(locked, debs, { docker, image: base, variables: {} });
  const put = async (from: string, before: string): Promise<string> => {
    let image = '';
    await runBuild({
      ...{ docker, imageName: 'other', from, workingDir: '/', fix: 'nothing' },
      script: `${before}\n${INSTALL_DEBS}`,
      fill: async (container) => void (await container.putArchive(await packFolder(debs, 'build/debs'), { path: '/' })),
      commit: async (container) => void (image = ((await container.commit({})) as { Id: string }).Id),
    });
    made.unshift(image);
    return image;
  };
  const kept = `${version('libc6')}+newer`;
  const newer = `sed -i '/^Package: libc6$/,/^Version/ s/^Version: .*/Version: ${kept}/' /var/lib/dpkg/status; dpkg -i /build/debs/libonig5_*.deb`;
  const other = await put(base, newer);
  expect(await says(other, VERSIONS)).toBe(expected);
  expect(await says(other, "dpkg-query -W -f '${Version}' libc6")).toBe(kept);
});

test('what the lock lacks, the mirror has not, or has with other bytes, is said in three lines', async () => {
  const without = lock.replace(/^libonig5=.*\n/m, '');
  await expect((await imagesWith(without)).ensure('locked', () => undefined)).rejects.toThrow(/libonig5/);
  const gone = lock.replace(/^jq=\S+/m, 'jq=0.1');
  await expect((await imagesWith(gone)).ensure('locked', () => undefined)).rejects.toThrow(
    /Version '0\.1' for 'jq' was not found[^]*expected: [^]*snapshot\.debian\.org/,
  );
  const other = lock.replace(/^(jq=\S+) [0-9a-f]{64}/m, `$1 ${'0'.repeat(64)}`);
  await expect((await imagesWith(other)).ensure('locked', () => undefined)).rejects.toThrow(/jq_.* has the sha-256/);
  await expect((await imagesWith('jq 1.6\n')).check('locked')).rejects.toThrow(/has the line "jq 1\.6"/);
  await expect((await imagesWith(`tree=1 ${'0'.repeat(64)}\n`)).check('locked')).rejects.toThrow(/debian: jq not in/);
});

test('a suite has one as bytes, checked', async () => {
  const index = createPackageIndex({ packageRoot: PACKAGE_ROOT, cacheFolder: folder, variable });
  const { name, version, sha256 } = readDebLock(lock).find((deb) => deb.name === 'jq') as PinnedDeb;
  const wanted = { name, version, sha256, kind: 'deb' as const, byHand: 'put jq.deb there' };
  expect(sha256Hex(await index.download(wanted))).toBe(sha256);
  await expect(index.download({ ...wanted, version: '0.1' })).rejects.toMatchObject({ type: 'dataset.missing' });
  await expect(index.download({ ...wanted, sha256: '0'.repeat(64) })).rejects.toMatchObject({
    type: 'dataset.hash-mismatch',
  });
  const aborted = AbortSignal.abort(new Error('enough'));
  await expect(index.download(wanted, { signal: aborted })).rejects.toThrow('enough');
});
