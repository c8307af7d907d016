import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type Docker from 'dockerode';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askContainer } from '../../src/adapters/docker/engine/ask-container.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { PIP_OWNER } from '../../src/adapters/docker/pip/pip-container.js';
import { packTar } from '../../src/adapters/docker/engine/tar-archive.js';
import { readEnvironment } from '../../src/config/env.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import type { PackageIndex, PinnedPackage } from '../../src/ports/package-index.js';
import { readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { waitUntil } from '../fixtures/wait-until.js';

// Real pip on the host; then, as on a host without Python, real pip in a real container with an index in another one:
// a machine that builds this project need not let its containers reach a registry.

const packageRoot = join(import.meta.dirname, '..', '..');
const docker = connectDocker();
const servers: Docker.Container[] = [];
let cacheFolder: string;
let image: string;

const METADATA = 'Metadata-Version: 2.1\nName: tinylib\nVersion: 1.0\n';
const WHEEL = 'tinylib-1.0-py3-none-any.whl';
const SDIST = 'tinylib-1.0.tar.gz';
const wheel = Buffer.from(
  zipSync({
    'tinylib.py': strToU8('x = 1\n'),
    'tinylib-1.0.dist-info/METADATA': strToU8(METADATA),
    'tinylib-1.0.dist-info/WHEEL': strToU8('Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    'tinylib-1.0.dist-info/RECORD': strToU8(''),
  }),
);
let sdist: Buffer;

/** A source release whose build writes a file, by either way in which it can be asked to: PEP 517 and \`setup.py\`. */
async function sourceRelease(way: 'pyproject.toml' | 'setup.py', mark: string): Promise<Buffer> {
  const build = `open(${JSON.stringify(mark)}, "w").write("built")\n`;
  const project = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n';
  const parts: Record<string, string> =
    way === 'setup.py' ? { 'setup.py': build } : { 'pyproject.toml': project, 'backend.py': build };
  const inside = Object.entries({ 'PKG-INFO': METADATA, ...parts }).map(([name, text]) => [
    `tinylib-1.0/${name}`,
    text,
  ]);
  return gzipSync(await packTar(Object.fromEntries(inside) as Record<string, string>));
}

beforeAll(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'package-index-'));
  [image = ''] = await ensureImages(cacheFolder, 'base');
  // A build that cannot end well: where it is tried, nothing is downloaded.
  sdist = await sourceRelease('pyproject.toml', '/');
});

afterAll(async () => {
  for (const server of servers) await server.remove({ force: true });
  await rm(cacheFolder, { recursive: true, force: true });
});

/** Address of a container in which this Python program serves /www on port 8000. */
async function serving(program: string[]): Promise<string> {
  const index = `<a href="${WHEEL}">${WHEEL}</a><a href="${SDIST}">${SDIST}</a>`;
  const folder = 'www/simple/tinylib';
  const server = await docker.createContainer({
    Image: image,
    Cmd: program,
    Labels: { [LABEL.instance]: currentInstance(), [LABEL.owner]: 'package-index-test' },
  });
  servers.push(server);
  const www = { [`${folder}/index.html`]: index, [`${folder}/${WHEEL}`]: wheel, [`${folder}/${SDIST}`]: sdist };
  await server.putArchive(await packTar(www), { path: '/' });
  await server.start();
  const connects = ['python3', '-c', 'import socket; socket.create_connection(("127.0.0.1", 8000)); print("listens")'];
  const listens = async (): Promise<boolean> => (await askContainer(server, connects, 60_000)).includes('listens');
  expect(await waitUntil(listens)).toBe(true);
  const networks = Object.values((await server.inspect()).NetworkSettings.Networks);
  return networks[0]?.IPAddress ?? '';
}

/** An index on a machine without Python whose pip variables name this server. */
function piplessHost(address: string): PackageIndex {
  const settings: Record<string, string> = {
    PIP_INDEX_URL: `http://${address}:8000/simple`,
    PIP_TRUSTED_HOST: address,
    NO_PROXY: address,
  };
  return createPackageIndex({
    ...{ packageRoot, cacheFolder, hostPython: 'no-such-python' },
    variable: (name) => settings[name],
  });
}

function pinned(kind: 'sdist' | 'wheel', bytes: Buffer): PinnedPackage {
  return { name: 'tinylib', version: '1.0', kind, sha256: sha256Hex(bytes), byHand: 'put it at /cache/tinylib' };
}

async function pipContainers(): Promise<Docker.ContainerInfo[]> {
  const label = [`${LABEL.instance}=${currentInstance()}`, `${LABEL.owner}=${PIP_OWNER}`];
  return docker.listContainers({ all: true, filters: { label } });
}

const HTTP = ['python3', '-m', 'http.server', '-d', '/www', '8000'];

test('the host’s pip brings the pinned release, byte for byte', async () => {
  const { pin } = await readProjectSettings('requests', join(packageRoot, 'tasks', 'repocraft'));
  const { variable } = readEnvironment();
  const index = createPackageIndex({ packageRoot, cacheFolder, variable });
  const { name, version, sha256 } = pin;
  const bytes = await index.download({ name, version, kind: 'sdist', sha256, byHand: '' });
  expect(sha256Hex(bytes)).toBe(sha256);
});

test.each(['pyproject.toml', 'setup.py'] as const)(
  'the host’s pip brings a source release without running its build (%s)',
  async (way) => {
    const folder = await mkdtemp(join(tmpdir(), 'package-build-'));
    const mark = join(folder, 'built');
    const release = await sourceRelease(way, mark);
    const server = createServer(({ url }, response) => {
      const isFile = url?.endsWith(SDIST) === true;
      response.writeHead(200, { 'content-type': isFile ? 'application/octet-stream' : 'text/html' });
      response.end(isFile ? release : `<a href="/${SDIST}">${SDIST}</a>`);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const index = `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`;
      const settings: Record<string, string> = { PIP_INDEX_URL: index, PIP_NO_CACHE_DIR: '1', NO_PROXY: '127.0.0.1' };
      const { variable } = readEnvironment();
      const packages = createPackageIndex({
        ...{ packageRoot, cacheFolder },
        variable: (name) => settings[name] ?? variable(name),
      });
      expect((await packages.download(pinned('sdist', release))).equals(release)).toBe(true);
      await expect(access(mark)).rejects.toThrow(/ENOENT/);
    } finally {
      server.close();
      await rm(folder, { recursive: true });
    }
  },
);

test('without Python on the host a container brings wheel and source release, and nothing of it stays', async () => {
  const index = piplessHost(await serving(HTTP));
  const said: string[] = [];
  const onProgress = (line: string): void => void said.push(line);
  expect((await index.download(pinned('wheel', wheel), { onProgress })).equals(wheel)).toBe(true);
  expect(said.join('\n')).toMatch(/no-such-python cannot be started.*trying a container/);
  expect((await index.download(pinned('sdist', sdist))).equals(sdist)).toBe(true);
  expect(await pipContainers()).toEqual([]);
});

test('an index that serves other bytes is refused, naming what came', async () => {
  const index = piplessHost(await serving(HTTP));
  const failure = await index.download(pinned('wheel', sdist)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ type: 'dataset.hash-mismatch' });
  const lines = (failure as Error).message.split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain(sha256Hex(wheel));
  expect(lines[1]).toContain(sha256Hex(sdist));
});

test('no index within reach: three lines that name both ways and end with what to put where by hand', async () => {
  // An address of the loopback of the container itself: nothing listens there, on any machine.
  const failure = await piplessHost('127.0.0.1')
    .download(pinned('wheel', wheel))
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ type: 'dataset.missing' });
  const [what, allowed, remedy, ...more] = (failure as Error).message.split('\n');
  expect(more).toEqual([]);
  expect(what).toMatch(/^tinylib 1\.0 cannot be downloaded: pip on the host: no-such-python cannot be started.*ENOENT/);
  expect(what).toMatch(/pip in a container: WARNING: .*refused.*; ERROR: .*No matching distribution/);
  expect(what).not.toContain('\u001b');
  expect(allowed).toMatch(/^expected: .*python3 with pip.*Docker engine/);
  expect(remedy).toMatch(/^fix: .*put it at \/cache\/tinylib$/);
  expect(await pipContainers()).toEqual([]);
});

test('an abort ends a download in a container with its own reason, and removes the container', async () => {
  const silent = 'import socket; s = socket.socket(); s.bind(("", 8000)); s.listen()\nwhile True: s.accept()';
  const index = piplessHost(await serving(['python3', '-c', silent]));
  const control = new AbortController();
  const reason = new Error('the user stopped it');
  const running = index.download(pinned('wheel', wheel), { signal: control.signal }).catch((error: unknown) => error);
  const isRunning = async (): Promise<boolean> => (await pipContainers()).map((one) => one.State).join() === 'running';
  expect(await waitUntil(isRunning)).toBe(true);
  control.abort(reason);
  expect(await running).toBe(reason);
  expect(await waitUntil(async () => (await pipContainers()).length === 0)).toBe(true);
});
