import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { SandboxLimits } from '../../contract/sandbox-limits.js';
import { jsonHash } from '../../domain/content-hash.js';
import { DomainFailure } from '../../domain/domain-failure.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../domain/sandbox-limits.js';
import type { CapturedOutput, Sandbox, SandboxResult, SandboxRun } from '../../ports/sandbox.js';
import { connectDocker } from './connect-docker.js';
import type { ContainerSpec } from './container-options.js';
import { createContainerPool, type PooledContainer } from './container-pool.js';
import { createContentVolumes } from './content-volumes.js';
import { dockerFailure } from './docker-failure.js';
import { execCommand, type ExecEnd } from './exec-command.js';
import { createSpaceCheck, MINIMUM_FREE_BYTES } from './free-space.js';
import { createImages, type ImageState } from './images.js';
import { LABEL } from './labels.js';
import { removeDeadContainers } from './leftovers.js';
import { createSlots } from './slots.js';
import { packTar } from './tar-archive.js';

/** What the Docker sandbox is built from. */
export interface DockerSandboxOptions {
  /** This worker process, from `currentInstance()`. */
  instance: string;
  /** `<state>`; its disk is watched, and its `cache/` keeps downloads. */
  stateFolder: string;
  /** Holds `deploy/images/`. */
  packageRoot: string;
  /** Runs at once. */
  slots: number;
  docker?: Docker;
  /** For tests. */
  minimumFreeBytes?: number;
}

/** The sandbox port on a Docker engine, with what only this adapter can do. */
export interface DockerSandbox extends Sandbox {
  /** Removes the containers of dead workers of this host; done once at a worker's start. Returns how many went. */
  removeLeftovers(): Promise<number>;
}

/** A signal is reported as 128 + its number: SIGKILL and SIGXCPU. */
const KILLED = 137;
const CPU_LIMIT_REACHED = 152;
/** `onProgress` must come at least every 3 s. */
const PROGRESS_MS = 1_000;
const ANSWERED = 'durabench-answered';
const NOTHING: CapturedOutput = { bytes: Buffer.alloc(0), truncated: false, totalBytes: 0 };

/** Containers for hostile code on a Docker engine: one pooled container per key and slot, a fresh process per run. Does not connect yet. */
export function createDockerSandbox(options: DockerSandboxOptions): DockerSandbox {
  const { instance, stateFolder, packageRoot } = options;
  const docker = options.docker ?? connectDocker();
  const images = createImages({ docker, packageRoot, cacheFolder: join(stateFolder, 'cache') });
  const volumes = createContentVolumes(docker, instance);
  const slots = createSlots(options.slots);
  const pool = createContainerPool({ docker, instance, idleLimit: 4 * options.slots });
  const minimumFreeBytes = options.minimumFreeBytes ?? MINIMUM_FREE_BYTES;
  const checkSpace = createSpaceCheck({ docker, stateFolder, minimumFreeBytes });
  const known = new Map<string, NonNullable<ImageState['present']> & { digest: string }>();

  async function run(request: SandboxRun): Promise<SandboxResult> {
    const progress = setInterval(() => request.onProgress?.(), PROGRESS_MS);
    try {
      const taken = await slots.acquire(request.exclusive ?? false, request.signal);
      try {
        return await runInSlot(request, taken[0] ?? 0);
      } finally {
        slots.release(taken);
      }
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      throw dockerFailure(error, `sandbox run in ${request.image}`);
    } finally {
      clearInterval(progress);
    }
  }

  async function runInSlot(request: SandboxRun, slot: number): Promise<SandboxResult> {
    await checkSpace();
    const limits = { ...DEFAULT_SANDBOX_LIMITS, ...request.limits };
    const { key, spec } = await describeContainer(request, limits);
    const pooled = await pool.take(key, spec, slot).catch((error: unknown) => {
      known.delete(request.image);
      throw isMissingImage(error) ? imageMissing(request.image) : error;
    });
    let healthy = false;
    try {
      request.signal.throwIfAborted();
      const result = await runIn(pooled, request, limits, spec.imageId);
      healthy = result.healthy;
      return result.result;
    } finally {
      pool.giveBack(pooled, healthy);
    }
  }

  /** What container this run needs, and which runs may share it. */
  async function describeContainer(
    request: SandboxRun,
    limits: SandboxLimits,
  ): Promise<{ key: string | null; spec: ContainerSpec }> {
    const { imageId } = await knownImage(request.image);
    const filled: Record<string, string> = {};
    for (const mount of request.mounts) filled[mount.path] = await volumes.ensure(mount, imageId);
    const { campaignId, ownerId } = request.owner;
    const labels = { [LABEL.campaign]: campaignId, [LABEL.owner]: request.poolKey ?? ownerId };
    // Limits of one command alone do not make another container.
    const { cpuSeconds: _cpu, wallSeconds: _wall, outputBytes: _output, ...sizes } = limits;
    const identity = { campaignId, poolKey: request.poolKey, imageId, filled, sizes };
    return {
      key: request.poolKey === null ? null : jsonHash(identity),
      spec: { imageId, volumes: filled, limits, labels },
    };
  }

  async function knownImage(name: string): Promise<{ imageId: string; digest: string }> {
    const cached = known.get(name);
    if (cached) return cached;
    const state = await images.check(name);
    if (!state.present) throw imageMissing(name);
    const found = { ...state.present, digest: state.recipeDigest };
    known.set(name, found);
    return found;
  }

  return {
    run,
    async imageDigest(image) {
      known.delete(image);
      return (await knownImage(image)).digest;
    },
    close: () => pool.close(),
    async removeLeftovers() {
      return removeDeadContainers(docker).catch((error: unknown) => {
        throw dockerFailure(error, 'removing the containers of dead workers');
      });
    },
  };
}

/** One command in a container that is ready for it, with the wall limit enforced from outside by killing the container. */
async function runIn(
  pooled: PooledContainer,
  request: SandboxRun,
  limits: SandboxLimits,
  imageId: string,
): Promise<{ result: SandboxResult; healthy: boolean }> {
  const { container } = pooled;
  const killer = createKiller(container);
  const onAbort = (): void => killer.kill('abort');
  request.signal.addEventListener('abort', onAbort, { once: true });
  const filesTar = await packTar(request.files ?? {});
  let cpuBefore: number | null = null;
  const startedAt = performance.now();
  const timer = setTimeout(() => killer.kill('wall'), limits.wallSeconds * 1000);
  try {
    const ended = await execCommand({
      container,
      command: request.command,
      env: request.env ?? {},
      filesTar,
      stdin: Buffer.from((request.stdin ?? '') as Uint8Array),
      cpuSeconds: limits.cpuSeconds,
      outputBytes: limits.outputBytes,
      onReady: (seconds) => (cpuBefore = seconds),
    }).catch((error: unknown) => {
      if (killer.killedFor() === null) throw error;
      return null;
    });
    const wallSeconds = (performance.now() - startedAt) / 1000;
    request.signal.throwIfAborted();
    const verdict = await judge(container, ended, killer.killedFor() === 'wall');
    const cpuAfter = await killer.cpuSeconds();
    const stopped = verdict.timeLimit !== null || verdict.outOfMemory;
    const result: SandboxResult = {
      exitCode: stopped ? null : (ended?.exitCode ?? null),
      timedOut: verdict.timeLimit !== null,
      ...verdict,
      stdout: ended?.stdout ?? NOTHING,
      stderr: ended?.stderr ?? NOTHING,
      wallSeconds,
      cpuSeconds: cpuAfter === null || cpuBefore === null ? null : cpuAfter - cpuBefore,
      container: pooled.runs === 0 ? 'fresh' : 'pooled',
      imageId,
    };
    return { healthy: !stopped && ended?.outputHeld === false, result };
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
  }
}

/** Ends a run from outside, once. */
interface Killer {
  kill(why: 'wall' | 'abort'): void;
  killedFor(): 'wall' | 'abort' | null;
  /** Of the whole container until the kill; null when nothing was killed or it cannot be read. */
  cpuSeconds(): Promise<number | null>;
}

function createKiller(container: Docker.Container): Killer {
  let killedFor: 'wall' | 'abort' | null = null;
  let cpu: Promise<number | null> = Promise.resolve(null);
  return {
    kill(why) {
      if (killedFor !== null) return;
      killedFor = why;
      // CPU time can be read only while the container runs; an engine may take a second to tell.
      if (why === 'wall') cpu = containerCpuSeconds(container);
      void cpu.then(() => container.kill({ signal: 'SIGKILL' })).catch(() => undefined);
    },
    killedFor: () => killedFor,
    cpuSeconds: () => cpu,
  };
}

/** Which limit ended the command, if one did. A container that ended without our doing is `sandbox.lost`. */
async function judge(
  container: Docker.Container,
  ended: ExecEnd | null,
  wallLimit: boolean,
): Promise<Pick<SandboxResult, 'timeLimit' | 'outOfMemory'>> {
  if (wallLimit) return { timeLimit: 'wall', outOfMemory: false };
  if (ended?.exitCode === CPU_LIMIT_REACHED) return { timeLimit: 'cpu', outOfMemory: false };
  if (ended !== null && ended.exitCode !== null && ended.exitCode !== KILLED)
    return { timeLimit: null, outOfMemory: false };
  const { State: state } = await container.inspect();
  if (state.OOMKilled) return { timeLimit: null, outOfMemory: true };
  if (!state.Running) throw new DomainFailure('sandbox.lost', 'the container ended while a command ran in it');
  return { timeLimit: null, outOfMemory: await countsOutOfMemory(container) };
}

/**
 * Whether the kernel has killed for memory in this container; engines tell it of a running container only as an event. A container
 * that does not answer is given a moment to turn out to be gone: it is reported as running for an instant after its end. One that
 * stays, full of the command's own processes perhaps, was not lost: that is the command's doing.
 */
async function countsOutOfMemory(container: Docker.Container): Promise<boolean> {
  const text = await readMemoryCounters(container).catch(() => '');
  for (let waited = 0; !text.includes(ANSWERED) && waited < 2_000; waited += 100) {
    await sleep(100);
    const { State: state } = await container.inspect();
    if (!state.Running) throw new DomainFailure('sandbox.lost', 'the container ended while a command ran in it');
  }
  return /oom_kill [1-9]/.test(text);
}

async function readMemoryCounters(container: Docker.Container): Promise<string> {
  const read = `cat /sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events 2>/dev/null; echo ${ANSWERED}`;
  const exec = await container.exec({ Cmd: ['sh', '-c', read], AttachStdout: true });
  const stream = await exec.start({ hijack: true });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

/** CPU time of everything that ever ran in the container, as the engine's cgroup counts it; null where it cannot be read. */
async function containerCpuSeconds(container: Docker.Container): Promise<number | null> {
  try {
    const stats = await container.stats({ stream: false, 'one-shot': true });
    return stats.cpu_stats.cpu_usage.total_usage / 1e9;
  } catch {
    return null;
  }
}

function isMissingImage(error: unknown): boolean {
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  return statusCode === 404 && /no such image/i.test(message ?? '');
}

function imageMissing(name: string): DomainFailure {
  return new DomainFailure(
    'sandbox.image-missing',
    `image "${name}" is not on the Docker engine, or was built from an older recipe\nallowed: an image built from deploy/images/${name}\nremedy: durabench images build ${name}`,
  );
}
