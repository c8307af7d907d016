import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentVolume } from '../../src/adapters/docker/volumes/content-volumes.js';
import { markOf } from '../../src/adapters/docker/volumes/filled-volume.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { probeSandbox, readFindings, SANDBOX_PROBE } from '../../src/adapters/docker/sandbox/probe-sandbox.js';
import { packTar } from '../../src/adapters/docker/engine/tar-archive.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import type { ContentMount } from '../../src/ports/sandbox.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { startDockerProxy, type DockerProxy, type EngineRequest } from '../fixtures/docker/docker-proxy.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { drawn } from '../vitest/drawn.js';
import { scaled } from '../vitest/yardstick.js';

/** The probe of `doctor --sandbox` on the real engine, which is told less than the sandbox asked for. */

type HostConfig = NonNullable<Docker.ContainerCreateOptions['HostConfig']>;
type Loosening = (request: EngineRequest) => Record<string, unknown>;

let folder: string;
let project: CliProject;
let proxy: DockerProxy;
let loosen: Loosening = ({ body }) => body;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-probe-'));
  await ensureImages(join(folder, 'cache'), 'base');
  proxy = await startDockerProxy(join(folder, 'docker.sock'), (request) => loosen(request));
  project = await createCliProject({ DOCKER_HOST: proxy.host });
});

afterAll(async () => {
  await project?.close();
  await proxy?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Containers get another HostConfig than was asked for. */
const host = (change: (asked: HostConfig) => HostConfig): Loosening => {
  return ({ path, body }) =>
    path === '/containers/create' ? { ...body, HostConfig: change(body.HostConfig as HostConfig) } : body;
};

const without = (limit: string): Loosening =>
  host((asked) => ({ ...asked, Ulimits: (asked.Ulimits as { Name: string }[]).filter(({ Name }) => Name !== limit) }));

/** Commands are run in another way than was asked for. */
const command = (change: (asked: Record<string, unknown>) => Record<string, unknown>): Loosening => {
  return ({ path, body }) => (/^\/containers\/[^/]+\/exec$/.test(path) ? change(body) : body);
};

const tmpfs = (options: string): Loosening =>
  host((asked) => ({ ...asked, Tmpfs: { '/tmp': options, '/work': options } }));

const LOOSENINGS: [what: string, check: string, loosening: Loosening][] = [
  ['root', 'commands run as nobody', command((asked) => ({ ...asked, User: '0:0' }))],
  ['capabilities', 'no capabilities', host((asked) => ({ ...asked, CapDrop: [] }))],
  ['new privileges', 'no new privileges', host((asked) => ({ ...asked, SecurityOpt: [] }))],
  [
    'every system call',
    'system calls are filtered',
    host((asked) => ({ ...asked, SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] })),
  ],
  ['a network', 'no network but loopback', host((asked) => ({ ...asked, NetworkMode: 'bridge' }))],
  ['a writable root', 'read-only root', host((asked) => ({ ...asked, ReadonlyRootfs: false }))],
  ['folders without a size', 'folders to write in have a size', tmpfs('rw,exec,mode=1777')],
  // Not the host's own: commands wipe what they find in there.
  ['much shared memory', 'shared memory has a size', host((asked) => ({ ...asked, ShmSize: 2 ** 30 }))],
  ['all memory', 'memory is limited', host((asked) => ({ ...asked, Memory: 0, MemorySwap: 0 }))],
  ['swap', 'no swap beside the memory', host((asked) => ({ ...asked, MemorySwap: (asked.Memory ?? 0) * 2 }))],
  ['all processors', 'processors are limited', host((asked) => ({ ...asked, NanoCpus: 0 }))],
  [
    'the same share as the worker',
    'a smaller share of the processors than the worker',
    host((asked) => ({ ...asked, CpuShares: 0 })),
  ],
  ['any number of processes', 'processes are limited', host((asked) => ({ ...asked, PidsLimit: 0 }))],
  [
    'processor time without end',
    'processor time is limited',
    command((asked) => ({
      ...asked,
      Cmd: (asked.Cmd as string[]).map((part) => part.replaceAll(/ulimit [^\n]*/g, '')),
    })),
  ],
  ['many open files', 'open files are limited', without('nofile')],
  ['files of any size', 'the size of a file is limited', without('fsize')],
  ['core dumps', 'no core dumps', without('core')],
  ['no init', 'an init reaps processes, none of the host in sight', host((asked) => ({ ...asked, Init: false }))],
  [
    'the processes of the host',
    'an init reaps processes, none of the host in sight',
    host((asked) => ({ ...asked, PidMode: 'host' })),
  ],
  [
    'the Docker socket',
    'no socket of the host',
    host((asked) => ({ ...asked, Binds: ['/var/run/docker.sock:/var/run/docker.sock'] })),
  ],
  ['queues of the kernel', 'no memory of the kernel to keep things in', host((asked) => ({ ...asked, Sysctls: {} }))],
  ['a folder of the host', 'no path of the host', host((asked) => ({ ...asked, Binds: ['/etc:/mnt:ro'] }))],
  [
    'a key in the environment',
    'no variable of the worker',
    ({ path, body }) => (path === '/containers/create' ? { ...body, Env: ['OPENAI_API_KEY=sk-nothing'] } : body),
  ],
];

async function failing(): Promise<string[]> {
  const docker = new Docker({ socketPath: proxy.socketPath });
  const parts = { instance: currentInstance(), stateFolder: folder, packageRoot: PACKAGE_ROOT, slots: 1, docker };
  const sandbox = createDockerSandbox(parts);
  try {
    const findings = await probeSandbox(sandbox, AbortSignal.timeout(scaled(60_000)));
    return findings.filter(({ ok }) => !ok).map(({ check }) => check);
  } finally {
    await sandbox.close();
  }
}

test('as it is, every check passes', async () => {
  loosen = ({ body }) => body;
  expect(await failing()).toEqual([]);
});

test('what prepares content is held as a run is, but for its user and its two minutes', async () => {
  loosen = ({ body }) => body;
  const docker = new Docker({ socketPath: proxy.socketPath });
  const parts = { instance: currentInstance(), stateFolder: folder, packageRoot: PACKAGE_ROOT, slots: 1, docker };
  const sandbox = createDockerSandbox(parts);
  const tar = await packTar({ unique: randomUUID() });
  const mount: ContentMount = {
    ...{ sha256: sha256Hex(tar), load: async () => tar, path: '/content' },
    prepare: ['sh', '-c', `{ ${SANDBOX_PROBE} } >/work/facts`],
  };
  try {
    const command = ['cat', '/content/facts'];
    const owner = { campaignId: 'probe', ownerId: 'probe' };
    const signal = AbortSignal.timeout(scaled(60_000));
    const seen = await sandbox.run({ image: 'base', command, mounts: [mount], poolKey: null, owner, signal });
    const broken = readFindings(seen.stdout.bytes.toString()).filter(({ ok }) => !ok);
    expect(broken.map(({ check, detail }) => [check, detail])).toEqual([
      ['commands run as nobody', '0:0 0'],
      ['processor time is limited', '120'],
      ['no path of the host', '/content'],
    ]);
  } finally {
    await sandbox.close();
    const name = contentVolume(mount);
    await Promise.allSettled([name, markOf(name)].map((volume) => docker.getVolume(volume).remove({ force: true })));
  }
});

test.each(drawn(LOOSENINGS, 2))('detects an engine that gives %s: "%s" fails', async (_what, check, loosening) => {
  loosen = loosening;
  expect(await failing()).toContain(check);
});

test('each promise has a loosening here', async () => {
  loosen = () => ({});
  const { HARDENING_CHECKS } = await import('../../src/adapters/docker/sandbox/hardening-checks.js');
  const tried = new Set(LOOSENINGS.map(([, check]) => check));
  expect(HARDENING_CHECKS.map(({ check }) => check).filter((check) => !tried.has(check))).toEqual([]);
});

test('doctor --sandbox shows the limits, says which promise does not hold, and ends with 5', async () => {
  loosen = host((asked) => ({ ...asked, NetworkMode: 'bridge' }));
  const end = await project.durabench('doctor', '--sandbox', '--json');
  expect(end.code, end.stderr).toBe(5);
  const {
    findings,
    sandbox_limits: limits,
    loosened_by_suites: loosened,
  } = JSON.parse(end.stdout) as {
    findings: { name: string; state: string; detail: string }[];
    sandbox_limits: Record<string, number>;
    loosened_by_suites: Record<string, unknown>;
  };
  const sandbox = findings.filter(({ name }) => name.startsWith('sandbox: '));
  expect(sandbox.length).toBeGreaterThanOrEqual(21);
  expect(sandbox.filter(({ state }) => state !== 'ok')).toMatchObject([
    { name: 'sandbox: no network but loopback', state: 'missing', detail: expect.stringContaining('eth0') as string },
  ]);
  expect(limits).toMatchObject({ pids: 256, open_files: 1024 });
  expect(loosened).toMatchObject({ echo: {}, repocraft: { parse: { cpu_seconds: 300 } } });
});
