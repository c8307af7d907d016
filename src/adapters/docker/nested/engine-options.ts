import type Docker from 'dockerode';
import { containerOptions, type ContainerSpec } from '../sandbox/container-options.js';
import { ENGINE_DATA_FOLDER, ENGINE_SOCKET } from './engine-scripts.js';

/**
 * A container that holds an engine: hardened as every other but for what an engine cannot do without. Not privileged: no device, no
 * host path. Root in it has the default capabilities and those to mount (SYS_ADMIN), to make a bridge (NET_ADMIN) and to enter a
 * container of another user, as health checks do (SYS_PTRACE). Its disk is an anonymous volume, which goes with the container.
 */
export function engineContainerOptions(spec: ContainerSpec): Docker.ContainerCreateOptions {
  const plain = containerOptions(spec);
  const tmpfs = `rw,nosuid,nodev,exec,mode=1777,size=${spec.limits.tmpfsBytes}`;
  // dockerode's types lack these. No path of the kernel is masked: a container that mounts its own /proc needs them open.
  const more = { CgroupnsMode: 'private', MaskedPaths: [], ReadonlyPaths: [] } as Docker.HostConfig;
  return {
    ...plain,
    User: '0:0',
    Hostname: 'engine',
    Env: [`DOCKER_HOST=${ENGINE_SOCKET}`],
    HostConfig: {
      ...plain.HostConfig,
      ...more,
      CapDrop: [],
      Sysctls: {},
      CapAdd: ['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE'],
      SecurityOpt: ['no-new-privileges', 'seccomp=unconfined', 'apparmor=unconfined'],
      Tmpfs: { '/tmp': tmpfs, '/work': tmpfs, '/run': 'rw,nosuid,nodev,exec,size=64m', '/etc/docker': 'rw,size=1m' },
      Mounts: [
        ...(plain.HostConfig?.Mounts ?? []),
        { Type: 'volume' as const, Source: '', Target: ENGINE_DATA_FOLDER },
      ],
    },
  };
}
