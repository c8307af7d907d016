import type Docker from 'dockerode';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import { contentLabels } from '../volumes/content-labels.js';

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
  /** Whether its `/work` is a workspace: in memory up to a size, else on a disk that goes with the container. */
  hasWorkspace?: boolean;
}

/** Larger ones are on a disk. */
export const WORKSPACE_IN_MEMORY_BYTES = 1024 ** 3;
/** What a file takes of memory at most beyond its bytes: the rest of its last page, and what the kernel keeps of it. */
const FILE_BYTES = 8192;

/** `/work` as it begins: its room in memory comes on top of the command's, so that what fits once fits again when it is restored. */
function workFolder({ limits, labels, hasWorkspace = false }: ContainerSpec): {
  tmpfs: string | null;
  mounts: Docker.MountSettings[];
  memoryBytes: number;
} {
  const tmpfs = 'rw,nosuid,nodev,exec,mode=1777';
  if (!hasWorkspace) return { tmpfs: `${tmpfs},size=${limits.tmpfsBytes}`, mounts: [], memoryBytes: 0 };
  const { workspaceBytes, workspaceFiles } = limits;
  if (workspaceBytes <= WORKSPACE_IN_MEMORY_BYTES) {
    const memoryBytes = workspaceBytes + workspaceFiles * FILE_BYTES;
    // Twice the names, so that it is told that they were too many, and no kernel memory is filled with empty ones.
    return { tmpfs: `${tmpfs},size=${memoryBytes},nr_inodes=${2 * workspaceFiles + 1000}`, mounts: [], memoryBytes };
  }
  const options = { NoCopy: true, Labels: labels, DriverConfig: { Name: 'local', Options: {} } };
  // Without a name, so that it goes with its container.
  return {
    tmpfs: null,
    mounts: [{ Type: 'volume', Source: '', Target: '/work', VolumeOptions: options }],
    memoryBytes: 0,
  };
}

/** The whole hardening, in one place; nothing here can be changed by a run but the sizes of its limits. */
export function containerOptions(spec: ContainerSpec): Docker.ContainerCreateOptions {
  const { limits } = spec;
  const work = workFolder(spec);
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
      Tmpfs: { '/tmp': tmpfs, ...(work.tmpfs === null ? {} : { '/work': work.tmpfs }) },
      Mounts: [
        ...Object.entries(spec.volumes).map(([path, volume]) => ({
          Type: 'volume' as const,
          Source: volume,
          Target: path,
          ReadOnly: true,
          // An empty volume must stay empty: it is content, not a copy of the image's folder.
          VolumeOptions: { NoCopy: true, Labels: contentLabels(volume), DriverConfig: { Name: 'local', Options: {} } },
        })),
        ...work.mounts,
      ],
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      IpcMode: 'private',
      // No queue, segment or semaphore of the kernel's, which a pooled container would keep from one run to the next.
      Sysctls: { 'fs.mqueue.queues_max': '0', 'kernel.shmmni': '0', 'kernel.msgmni': '0', 'kernel.sem': '0 0 0 0' },
      ShmSize: SHARED_MEMORY_BYTES,
      Memory: limits.memoryBytes + work.memoryBytes,
      MemorySwap: limits.memoryBytes + work.memoryBytes,
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
