import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { readEnvironment } from '../../src/config/env.js';
import type { SandboxResult, SandboxRun } from '../../src/ports/sandbox.js';
import { nestedEngineConformance } from '../../src/ports/conformance/nested-engine.conformance.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

const GIB = 1024 ** 3;
const LIMITS = {
  ...{ memoryBytes: 2 * GIB, cpus: 2, pids: 1024, cpuSeconds: 600, wallSeconds: 1200 },
  ...{ tmpfsBytes: GIB / 4, fileSizeBytes: GIB, openFiles: 8192 },
};

const docker = connectDocker();
let stateFolder: string;
let sandbox: DockerSandbox;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-nested-'));
  await ensureImages(readEnvironment().cacheDir, 'base', 'gha-engine', 'gha-redis');
  sandbox = createDockerSandbox({
    ...{ instance: currentInstance(), stateFolder, packageRoot: PACKAGE_ROOT, slots: 1 },
    idleMs: 600_000,
  });
});

afterAll(async () => {
  await sandbox?.close();
  await rm(stateFolder, { recursive: true, force: true });
});

async function run(script: string, extra: Partial<SandboxRun> = {}): Promise<SandboxResult> {
  return sandbox.run({
    image: 'gha-engine',
    command: ['sh', '-c', script],
    engine: { images: [{ image: 'base', names: ['job:latest'] }] },
    mounts: [],
    limits: LIMITS,
    poolKey: 'nested',
    owner: { campaignId: 'nested-test', ownerId: 'nested-test' },
    signal: new AbortController().signal,
    ...extra,
  });
}

const text = (result: SandboxResult): string =>
  `${result.stdout.bytes.toString('utf8')}${result.stderr.bytes.toString('utf8')}`.trim();

nestedEngineConformance('the Docker adapter', () => ({
  sandbox,
  bench: {
    image: 'gha-engine',
    jobImages: ['base', 'gha-redis'],
    limits: LIMITS,
    // An image may bring its own name along.
    listImages: ['sh', '-c', 'docker images --format "{{.Repository}}:{{.Tag}}" | grep -v "^durabench/\\|^<none>"'],
    runJob: (image, said) => ['docker', 'run', '--rm', image, 'echo', said],
    leaveAll: [
      ...['sh', '-ec'],
      `docker run -d --name left --init job:latest sleep 600
      docker volume create left; docker network create left; docker commit left left:latest
      for each in 1 2 3 4; do docker run --name made$each left:latest true; docker commit made$each left:latest; done`,
    ],
    countLeft: [
      ...['sh', '-c'],
      '{ docker ps -aq; docker volume ls -q; docker network ls -q --filter type=custom; docker images -aq --filter since=job:latest; } | wc -l',
    ],
    sleepInJob: (image) => ['docker', 'run', '--rm', '--init', image, 'sleep', '600'],
    askEngine: ['docker', 'info'],
  },
}));

test('what runs on it reaches nothing outside and cannot be privileged, and its limits hold for all of it', async () => {
  const inside = await run(`
    docker run --rm --privileged job:latest true >/dev/null 2>&1 && echo privileged || echo refused
    docker run --rm --network host job:latest sh -c 'cut -f 1,2 /proc/net/route | tail -n +2 | cut -c 1-6'
    docker run --rm job:latest sh -c 'ls /dev/vda /dev/sda /dev/kmsg /var/run/docker.sock 2>/dev/null; echo devices'
    docker run --rm --memory 100m job:latest python3 -c 'bytearray(10**9)'; echo "memory $?"
    cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null
    cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null`);
  // The one route is that of the engine's own bridge.
  expect(text(inside).split('\n')).toEqual([
    ...['refused', 'docker', 'devices', 'memory 137', String(2 * GIB), '1024'],
  ]);
});

test('files of a run are brought back, without links', async () => {
  const { taken } = await run(
    'mkdir -p out/deep && echo one >out/deep/file && echo two >note && ln -s /etc/passwd out/link && echo no >other',
    { take: ['out', 'note', 'absent'] },
  );
  const texts = Object.entries(taken?.files ?? {}).map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]);
  expect(Object.fromEntries(texts)).toEqual({ 'out/deep/file': 'one\n', note: 'two\n' });
});

test('a run killed at its limit takes its engine, its containers and its disk along', async () => {
  const looks: Promise<string[]>[] = [];
  const look = (): void => void looks.push(disks());
  const killed = await run('docker run --rm --init job:latest sleep 600', {
    limits: { ...LIMITS, wallSeconds: 5 },
    poolKey: null,
    onStart: look,
    onProgress: look,
  });
  expect(killed).toMatchObject({ timedOut: true, timeLimit: 'wall' });
  await sandbox.close();
  const seen = new Set((await Promise.all(looks)).flat());
  expect(seen.size).toBeGreaterThan(0);
  const { Volumes: left } = await docker.listVolumes();
  expect(left.filter(({ Name: name }) => seen.has(name))).toEqual([]);
});

/** Volumes without a name that containers of this process hold: others work on this engine too. */
async function disks(): Promise<string[]> {
  const filters = { label: [`${LABEL.instance}=${currentInstance()}`] };
  const mounts = (await docker.listContainers({ all: true, filters })).flatMap(({ Mounts }) => Mounts);
  return mounts.flatMap(({ Name: name = '' }) => (/^[0-9a-f]{64}$/.test(name) ? [name] : []));
}
