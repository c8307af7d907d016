import type Docker from 'dockerode';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';

/** The user of every command. */
export const COMMAND_USER = '65534:65534';
/** Another user keeps the container alive, so that a command that signals all it may cannot end the container. */
export const KEEPER_USER = '65533:65533';
/** A worker has 1024, Docker's default: under load the worker's heartbeats come first. */
const CPU_SHARES = 256;
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

/** What a container is made for; the same for every run it serves. */
export interface ContainerSpec {
  imageId: string;
  /** Absolute path → name of a filled volume. */
  volumes: Record<string, string>;
  limits: SandboxLimits;
  labels: Record<string, string>;
  /** Whether an engine runs in it. */
  hasEngine?: boolean;
}

/** The whole hardening, in one place; nothing here can be changed by a run but the sizes of its limits. */
export function containerOptions(spec: ContainerSpec): Docker.ContainerCreateOptions {
  const { limits } = spec;
  const tmpfs = `rw,nosuid,nodev,exec,mode=1777,size=${limits.tmpfsBytes}`;
  return {
    Image: spec.imageId,
    User: KEEPER_USER,
    WorkingDir: '/',
    Hostname: 'sandbox',
    Entrypoint: [],
    Cmd: ['sleep', 'infinity'],
    Labels: spec.labels,
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': tmpfs, '/work': tmpfs },
      Mounts: Object.entries(spec.volumes).map(([path, volume]) => ({
        Type: 'volume' as const,
        Source: volume,
        Target: path,
        ReadOnly: true,
        // An empty volume must stay empty: it is content, not a copy of the image's folder.
        VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } },
      })),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      IpcMode: 'private',
      // No queue, segment or semaphore of the kernel's, which a pooled container would keep from one run to the next.
      Sysctls: { 'fs.mqueue.queues_max': '0', 'kernel.shmmni': '0', 'kernel.msgmni': '0', 'kernel.sem': '0 0 0 0' },
      ShmSize: SHARED_MEMORY_BYTES,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      CpuShares: CPU_SHARES,
      PidsLimit: limits.pids,
      Ulimits: [
        { Name: 'nofile', Soft: limits.openFiles, Hard: limits.openFiles },
        { Name: 'fsize', Soft: limits.fileSizeBytes, Hard: limits.fileSizeBytes },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      Init: true,
      // Output goes through the exec's own stream; the keeper writes none.
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no' },
    },
  };
}
