import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEvidence } from '../contract/run-evidence.js';
import type { SandboxLimits } from '../contract/sandbox-limits.js';
import { createCapturedBytes } from '../domain/text/captured-bytes.js';
import { jsonHash, sha256Hex } from '../domain/text/content-hash.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { checkDoorPorts } from '../domain/limits/door-ports.js';
import { containerLimits, DEFAULT_SANDBOX_LIMITS } from '../domain/limits/sandbox-limits.js';
import type { Blobs } from '../ports/blobs.js';
import type {
  CapturedOutput,
  ContentMount,
  Door,
  EngineImage,
  Sandbox,
  SandboxResult,
  SandboxRun,
} from '../ports/sandbox.js';
import { keepFake, leftBy, restoreFake, takenOf } from './fake-workspace.js';
import { createMemoryBlobs } from './memory-blobs.js';

/** What a fake program is given. */
export interface FakeCall {
  /** Its own name first. */
  command: string[];
  /** What is in `/work`: its workspace, and what the run puts there. */
  files: Map<string, Buffer>;
  stdin: Buffer;
  env: Record<string, string>;
  /** Content by the path it is mounted at, as a tar; a copy. */
  mounts: { path: string; tar: Buffer }[];
  /** Of its container, where the run has one: what is on it. Whatever else is made on it is gone before the next run. */
  engine: FakeEngine | null;
  /** Door → the port of this machine's loopback that stands for it. */
  doors: Readonly<Record<number, number>>;
  /** Aborted when the run is told to finish: it is then given back with what it returns within five seconds. */
  finish: AbortSignal;
  /** Aborted when the run is killed for time or by its caller. */
  signal: AbortSignal;
}

/** What a nested engine has. */
interface FakeEngine {
  /** Names of its images. */
  images: ReadonlySet<string>;
  /** Containers, networks, volumes and images that runs made, by any name. */
  made: Set<string>;
}

/** How a fake program ended. Only what differs from "0, silent" need be said. */
export interface FakeEnd {
  exitCode?: number;
  stdout?: Uint8Array | string;
  stderr?: Uint8Array | string;
  cpuSeconds?: number;
  outOfMemory?: boolean;
  timeLimit?: 'cpu' | 'wall';
  /** What it leaves in `/work`, by path. */
  files?: Record<string, Uint8Array | string>;
  /** What it removes from its workspace, by path. */
  removes?: readonly string[];
  /** Something of it still runs. */
  leftProcess?: boolean;
}

/** A program of the fake sandbox; may throw a `DomainFailure` to play broken infrastructure. */
export type FakeProgram = (call: FakeCall) => FakeEnd | Promise<FakeEnd>;

/**
 * A sandbox without Docker for tests of what stands above it: commands are looked up by name and run as functions in this process.
 * Nothing is isolated. `runs` keeps every request in order, unless it is told to keep none: thousands fill the memory.
 */
export function createFakeSandbox(options: {
  programs: Record<string, FakeProgram>;
  /** Images that "are there"; every other one is missing. */
  images: readonly string[];
  keepsRuns?: boolean;
  /** Where workspaces are kept; sandboxes that share it find each other's. */
  blobs?: Blobs;
}): Sandbox & { runs: SandboxRun[] } {
  const runs: SandboxRun[] = [];
  const used = new Set<string>();
  const blobs = options.blobs ?? createMemoryBlobs();

  async function run(request: SandboxRun): Promise<SandboxResult> {
    request.signal.throwIfAborted();
    checkDoorPorts(request.doors);
    const images = [request.image, ...(request.engine?.images.map(({ image }) => image) ?? [])];
    for (const image of images) if (!options.images.includes(image)) throw imageMissing(image);
    if (options.keepsRuns !== false) runs.push(request);
    const progress = setInterval(() => request.onProgress?.(), 1_000);
    const killed = new AbortController();
    const onAbort = (): void => killed.abort();
    request.signal.addEventListener('abort', onAbort, { once: true });
    const startedAt = performance.now();
    try {
      const limits = { ...DEFAULT_SANDBOX_LIMITS, ...request.limits };
      const files = await filesOf(request);
      request.onStart?.();
      const running = execute(request, new Map(files), killed.signal);
      const end = await Promise.race([running, expire(limits.wallSeconds, killed.signal)]);
      request.signal.throwIfAborted();
      const stopped = end.timeLimit !== undefined || end.outOfMemory === true;
      const container = takeContainer(request, limits, stopped || end.leftProcess === true);
      const exitCode = stopped ? null : (end.exitCode ?? 0);
      const wallSeconds = (performance.now() - startedAt) / 1000;
      return {
        exitCode,
        timedOut: end.timeLimit !== undefined,
        timeLimit: end.timeLimit ?? null,
        outOfMemory: end.outOfMemory ?? false,
        stdout: captured(end.stdout, limits.outputBytes),
        stderr: captured(end.stderr, limits.outputBytes),
        wallSeconds,
        cpuSeconds: end.cpuSeconds ?? null,
        container,
        imageId: `fake:${request.image}`,
        taken: stopped || request.take === undefined ? null : takenOf(request.take, leftBy(end, files)),
        workspace:
          request.workspace === undefined
            ? null
            : await keepFake(blobs, { ...request.workspace, files: leftBy(end, files), limits, wasKilled: stopped }),
        evidence: evidenceOf({ end, exitCode, limits, wallSeconds }),
      };
    } finally {
      killed.abort();
      clearInterval(progress);
      request.signal.removeEventListener('abort', onAbort);
    }
  }

  async function filesOf({ workspace, files = {} }: SandboxRun): Promise<Map<string, Buffer>> {
    const before = workspace === undefined ? new Map<string, Buffer>() : await restoreFake(blobs, workspace.from);
    for (const [path, bytes] of Object.entries(files)) before.set(path, toBuffer(bytes));
    return before;
  }

  /** As the real pool does: equal runs share, and what did not end cleanly is not used again. */
  function takeContainer(request: SandboxRun, limits: SandboxLimits, broken: boolean): 'fresh' | 'pooled' {
    const { poolKey, mounts, forkServer } = request;
    if (poolKey === null) return 'fresh';
    const key = jsonHash({
      poolKey,
      forkServer: forkServer === undefined ? null : [[...forkServer], request.env ?? {}],
      limits: containerLimits(limits),
      engine: request.engine?.images.map(({ image, names }) => [image, ...names]) ?? null,
      mounts: mounts.map(({ path, sha256 }) => [path, sha256]),
    });
    const found = used.has(key) ? 'pooled' : 'fresh';
    if (broken) used.delete(key);
    else used.add(key);
    return found;
  }

  async function execute(request: SandboxRun, files: Map<string, Buffer>, signal: AbortSignal): Promise<FakeEnd> {
    const program = options.programs[request.command[0] ?? ''];
    if (program === undefined) return { exitCode: 127, stderr: `${request.command[0]}: not found\n` };
    const doors = await openDoors(request.doors ?? []);
    return Promise.resolve(
      program({
        doors: doors.ports,
        finish: request.finish ?? new AbortController().signal,
        command: request.command,
        files,
        stdin: toBuffer(request.stdin ?? ''),
        env: request.env ?? {},
        engine: request.engine === undefined ? null : engineOf(request.engine.images),
        mounts: await Promise.all(request.mounts.map(delivered)),
        signal,
      }),
    ).finally(doors.close);
  }

  return {
    runs,
    run,
    async imageDigest(image) {
      if (!options.images.includes(image)) throw imageMissing(image);
      return jsonHash({ fake: image });
    },
    async close() {
      used.clear();
    },
  };
}

/** As the real one is after its sweep: its images and nothing else. */
function engineOf(images: readonly EngineImage[]): FakeEngine {
  return { images: new Set(images.flatMap(({ names }) => names)), made: new Set() };
}

async function delivered(mount: ContentMount): Promise<{ path: string; tar: Buffer }> {
  const { path, sha256 } = mount;
  const loaded = await mount.load();
  const tar = Buffer.from(loaded instanceof Readable ? Buffer.concat(await loaded.toArray()) : loaded);
  if (sha256Hex(tar) === sha256) return { path, tar };
  throw new DomainFailure('harness.bug', `content for ${path} does not have the hash ${sha256}`);
}

/** Behind each a port of this machine, since nothing here is isolated. */
async function openDoors(doors: readonly Door[]): Promise<{ ports: Record<number, number>; close: () => void }> {
  const streams = new Set<Socket>();
  const opened = doors.map(async (door) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      streams.add(socket);
      door.serve(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: door.port, server };
  });
  const servers = await Promise.all(opened);
  return {
    ports: Object.fromEntries(servers.map(({ port, server }) => [port, (server.address() as AddressInfo).port])),
    close() {
      for (const { server } of servers) server.close();
      for (const stream of streams) stream.destroy();
    },
  };
}

/** As of a container without a fork server. */
function evidenceOf(run: {
  end: FakeEnd;
  exitCode: number | null;
  limits: SandboxLimits;
  wallSeconds: number;
}): RunEvidence {
  const { end, limits } = run;
  return {
    ...{ ready: true, served: null, killed: end.timeLimit === 'wall' ? 'wall' : null },
    exec: { running: false, exitCode: run.exitCode ?? (end.timeLimit === 'cpu' ? 152 : 137) },
    container: end.outOfMemory === true ? { running: true, outOfMemory: true } : null,
    ...{ memory: null, limits },
    clocks: { ready: 0, wall: run.wallSeconds, cpu: end.cpuSeconds ?? null, slowness: null, own: null },
  };
}

/** The wall limit; also what ends the wait at an abort. */
async function expire(seconds: number, signal: AbortSignal): Promise<FakeEnd> {
  await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
  return { timeLimit: 'wall' };
}

function captured(bytes: Uint8Array | string | undefined, cap: number): CapturedOutput {
  const output = createCapturedBytes(cap);
  output.push(toBuffer(bytes ?? ''));
  return output.result();
}

function toBuffer(bytes: Uint8Array | string): Buffer {
  return typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes);
}

function imageMissing(image: string): DomainFailure {
  return new DomainFailure('sandbox.image-missing', {
    message: `image "${image}" is not there`,
    fix: `durabench images build ${image}`,
  });
}
