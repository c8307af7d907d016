import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SANDBOX_LIMITS } from '../../../domain/limits/sandbox-limits.js';
import type { Sandbox, SandboxRun } from '../../../ports/sandbox.js';
import { findingsOf, type SandboxFinding } from '../sandbox/probe-sandbox.js';
import { ENGINE_CHECKS } from './engine-checks.js';

const MIB = 1024 ** 2;
/** Small: the probe fills the memory, and makes as many processes as it may. */
const LIMITS = {
  ...DEFAULT_SANDBOX_LIMITS,
  ...{ memoryBytes: 1024 * MIB, pids: 600, cpus: 2, cpuSeconds: 600, wallSeconds: 1200 },
  ...{ tmpfsBytes: 64 * MIB, fileSizeBytes: 2048 * MIB, openFiles: 8192 },
};
const JOB_IMAGE = 'durabench-probe:latest';
const ENGINE_ADDRESS = '172.30.1.1';
const [PEER_PORT, DOOR_PORT] = [34_900, 34_901];

/** What the probe needs. */
export interface EngineProbe {
  /** With two slots: what one container can do to another is tried. */
  sandbox: Sandbox;
  packageRoot: string;
  /** Recipe of the image whose container holds the engine. */
  image: string;
  signal: AbortSignal;
}

/**
 * Runs two containers with engines and looks from inside one, and from jobs on its engine, whether the promises of the second profile
 * hold; for `doctor --sandbox`. Fails like `Sandbox.run`, where there is no such engine with what is missing.
 */
export async function probeEngine(probe: EngineProbe): Promise<SandboxFinding[]> {
  const host = await listenOnHost();
  const finish = new AbortController();
  try {
    const peer = await startPeer(probe, finish.signal);
    const result = await run(probe, 'slot', {
      request: {
        job: JOB_IMAGE,
        reach: [...host.addresses, ['127.0.0.1', PEER_PORT], [ENGINE_ADDRESS, PEER_PORT]],
        ...{ memory: LIMITS.memoryBytes, processes: LIMITS.pids },
      },
    });
    finish.abort();
    await peer.end;
    const output = `${result.stdout.bytes.toString('utf8')}${host.connections() > 0 ? 'slot-reached\tthis machine\n' : ''}`;
    return findingsOf(output, ENGINE_CHECKS, LIMITS);
  } finally {
    finish.abort();
    await host.close();
  }
}

/**
 * Whether an engine runs in a container of this one, with nothing on it: what a campaign asks before it starts.
 * @throws as {@link probeEngine}
 */
export async function tryEngine({ sandbox, image, signal }: Omit<EngineProbe, 'packageRoot'>): Promise<void> {
  await sandbox.run({ ...common(image, signal), engine: { images: [] }, command: ['docker', 'info'] });
}

const common = (image: string, signal: AbortSignal) => ({
  ...{ image, signal, mounts: [], limits: LIMITS, poolKey: null },
  owner: { campaignId: 'doctor', ownerId: 'doctor' },
});

async function run(
  { sandbox, packageRoot, image, signal }: EngineProbe,
  part: 'slot' | 'peer',
  { request, ...more }: { request: object } & Partial<SandboxRun>,
) {
  const program = await readFile(join(packageRoot, 'src', 'adapters', 'docker', 'nested', 'probe.py'), 'utf8');
  return sandbox.run({
    ...common(image, signal),
    engine: { images: [{ image: 'base', names: [JOB_IMAGE] }] },
    command: ['python3', 'probe.py', part, JSON.stringify(request)],
    files: { 'probe.py': program },
    ...more,
  });
}

/** Another container with an engine, that listens on all its addresses. @returns its end, once it listens */
async function startPeer(probe: EngineProbe, finish: AbortSignal): Promise<{ end: Promise<unknown> }> {
  let listens = (): void => undefined;
  const listening = new Promise<void>((resolve) => (listens = resolve));
  const door = {
    port: DOOR_PORT,
    serve: (connection: { destroy(): unknown }): void => {
      connection.destroy();
      listens();
    },
  };
  const end = run(probe, 'peer', { request: { peer: PEER_PORT, door: DOOR_PORT }, doors: [door], finish });
  await Promise.race([
    listening,
    end.then(() => Promise.reject(new Error('the other container ended before it listened'))),
  ]);
  return { end };
}

/** A server on every address of this machine. */
async function listenOnHost() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = own.filter(({ family }) => family === 'IPv4').map(({ address }) => [address, port] as const);
  return {
    addresses,
    connections: () => connections,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
