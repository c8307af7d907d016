/**
 * What a sandbox run costs beyond the command itself: `true`, fresh and pooled, and what each part of the hardening adds.
 *
 *   npx tsx bench/docker/sandbox.ts [--runs 100] [--flag-runs 20]
 *
 * Needs Docker and the base image (`durabench images build base`). Kinds of run take turns, so that a busy moment of the machine
 * hits all of them alike.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type Docker from 'dockerode';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { containerOptions } from '../../src/adapters/docker/sandbox/container-options.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { createImages } from '../../src/adapters/docker/images/images.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { readEnvironment } from '../../src/config/env.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../src/domain/limits/sandbox-limits.js';
import type { Sandbox } from '../../src/ports/sandbox.js';

type HostConfig = NonNullable<Docker.ContainerCreateOptions['HostConfig']>;

/** Each part of the hardening, as what is taken away when it is left out. */
const PARTS: Record<string, (host: HostConfig) => HostConfig> = {
  'all of it': (host) => host,
  'network none': ({ NetworkMode: _, ...host }) => host,
  'read-only root': (host) => ({ ...host, ReadonlyRootfs: false }),
  tmpfs: ({ Tmpfs: _, ...host }) => host,
  'cap-drop ALL': ({ CapDrop: _, ...host }) => host,
  'no-new-privileges': ({ SecurityOpt: _, ...host }) => host,
  'default seccomp': (host) => ({ ...host, SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] }),
  'memory and CPU limits': ({ Memory: _m, MemorySwap: _s, NanoCpus: _n, CpuShares: _c, ...host }) => host,
  'process limit': ({ PidsLimit: _, ...host }) => host,
  ulimits: ({ Ulimits: _, ...host }) => host,
  init: (host) => ({ ...host, Init: false }),
  'no log driver': ({ LogConfig: _, ...host }) => host,
  'private IPC': ({ IpcMode: _, ShmSize: _s, ...host }) => host,
};

/** A fresh container is removed while the next run is on its way; in blocks, that seldom falls on a pooled one. */
const BLOCK = 10;

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100' }, 'flag-runs': { type: 'string', default: '20' } },
});
const packageRoot = join(import.meta.dirname, '..', '..');
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-bench-'));
const docker = connectDocker();
const images = createImages({
  ...{ docker, packageRoot, cacheFolder: join(stateFolder, 'cache') },
  variable: readEnvironment().variable,
});
const image = await images.ensure('base', console.error);
const engine = (await docker.version()) as { Version: string };
const gib = (totalmem() / 1024 ** 3).toFixed(0);
console.log(`npx tsx bench/docker/sandbox.ts --runs ${values.runs} --flag-runs ${values['flag-runs']}`);
console.log(
  `${cpus().length} x ${cpus()[0]?.model}, ${gib} GiB, load ${loadavg()[0]?.toFixed(1)}, Docker ${engine.Version}, Node ${process.version}\n`,
);

const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 1 });
try {
  await overhead(sandbox, Number(values.runs));
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}
await hardening(image.present?.imageId ?? '', Number(values['flag-runs']));

/** Wall time of a run of `true` through the port, in a container of its own and in a pooled one. */
async function overhead(target: Sandbox, runs: number): Promise<void> {
  const kinds = { fresh: null, pooled: 'bench' };
  const seconds: Record<string, number[]> = { fresh: [], pooled: [] };
  const once = async (poolKey: string | null): Promise<number> => {
    const startedAt = performance.now();
    const signal = new AbortController().signal;
    const owner = { campaignId: 'bench', ownerId: 'bench' };
    await target.run({ image: 'base', command: ['true'], mounts: [], poolKey, owner, signal });
    return (performance.now() - startedAt) / 1000;
  };
  await once('bench');
  for (let run = 0; run < runs; run += BLOCK) {
    for (const [kind, poolKey] of Object.entries(kinds)) {
      for (let inBlock = run; inBlock < Math.min(run + BLOCK, runs); inBlock += 1)
        seconds[kind]?.push(await once(poolKey));
    }
  }
  console.log(`A run of "true" through the sandbox port, ${runs} of each, seconds`);
  for (const [kind, all] of Object.entries(seconds)) console.log(`  ${kind.padEnd(8)} ${spread(all)}`);
}

/** Create, start, exec `true`, force-remove; once as it is, and once a part without that part. */
async function hardening(imageId: string, runs: number): Promise<void> {
  const seconds = new Map(Object.keys(PARTS).map((part) => [part, [] as number[]]));
  for (let run = 0; run < runs; run += 1) {
    for (const [part, without] of Object.entries(PARTS)) seconds.get(part)?.push(await containerLife(imageId, without));
  }
  const all = median(seconds.get('all of it') ?? []);
  console.log(`\nCreate, start, exec and force-remove over the API, ${runs} of each, seconds`);
  for (const [part, measured] of seconds) {
    const cost = part === 'all of it' ? '' : `costs ${((all - median(measured)) * 1000).toFixed(0).padStart(4)} ms`;
    console.log(`  ${(part === 'all of it' ? part : `without ${part}`).padEnd(32)} ${spread(measured)}  ${cost}`);
  }
}

async function containerLife(imageId: string, without: (host: HostConfig) => HostConfig): Promise<number> {
  const options = containerOptions({ imageId, volumes: {}, limits: DEFAULT_SANDBOX_LIMITS, labels: {} });
  const startedAt = performance.now();
  const container = await docker.createContainer({ ...options, HostConfig: without(options.HostConfig ?? {}) });
  try {
    await container.start();
    const exec = await container.exec({ Cmd: ['true'], AttachStdout: true, User: '65534:65534' });
    const stream = await exec.start({ hijack: true });
    stream.resume();
    await new Promise((resolve) => stream.once('end', resolve));
  } finally {
    await container.remove({ force: true });
  }
  return (performance.now() - startedAt) / 1000;
}

function spread(seconds: number[]): string {
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(3);
  return `p50 ${at(0.5)}  p95 ${at(0.95)}  min ${at(0)}`;
}

function median(seconds: number[]): number {
  return [...seconds].sort((a, b) => a - b)[Math.floor((seconds.length - 1) / 2)] ?? NaN;
}
