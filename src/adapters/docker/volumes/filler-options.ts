import type Docker from 'dockerode';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../../domain/limits/sandbox-limits.js';
import type { ContentMount } from '../../../ports/sandbox.js';
import { containerOptions } from '../sandbox/container-options.js';
import { contentLabels } from './content-labels.js';

/** A container that fills a volume. */
export interface FillerSpec {
  name: string;
  volume: string;
  imageId: string;
  /** From `ownerLabels`. */
  owner: Record<string, string>;
  mount: Pick<ContentMount, 'path' | 'prepare'>;
}

/** As a run, but for files as large as content may hold: they come from a tar of known bytes. What prepares it has a run's limit. */
const FILLER_LIMITS: Readonly<SandboxLimits> = { ...DEFAULT_SANDBOX_LIMITS, fileSizeBytes: 8 * 1024 ** 3 };
/** For gigabytes, on a busy machine. */
const UNPACK_SECONDS = 500;
const PREPARE_SECONDS = 120;
/** `ulimit -f` counts in these. */
const BLOCK_BYTES = 512;

/**
 * `$0` is the folder, the rest what prepares it. That reads hostile text, which may want any amount of memory, time and output: it
 * works as every run does, in a folder of limited size, and only what it leaves there when it ended well is added to the content.
 */
const FILL_SCRIPT = `
  unpack() {
    timeout -s KILL ${UNPACK_SECONDS} tar -xf - -C "$0" --no-same-owner --no-same-permissions "$@" &&
    chmod -R u+rwX,a+rX,go-w "$0"
  }
  prepare() {
    cd /work && ulimit -t ${PREPARE_SECONDS} && ulimit -f ${DEFAULT_SANDBOX_LIMITS.fileSizeBytes / BLOCK_BYTES} &&
    exec timeout -s KILL ${PREPARE_SECONDS} "$@" >/dev/null 2>&1 </dev/null
  }
  find "$0" -mindepth 1 -delete && unpack || exit 1
  [ $# != 0 ] && (prepare "$@") || exit 0
  (cd /work && find . ! -type d -print0) | (cd "$0" && xargs -0r rm -rf) &&
  tar -cf - -C /work . | unpack --no-overwrite-dir`;

/** The volume, writable. Docker makes one that is absent, and then with these labels. */
export function fillerMount(volume: string, path: string): Docker.MountSettings {
  const options = { NoCopy: false, Labels: contentLabels(volume), DriverConfig: { Name: 'local', Options: {} } };
  return { Type: 'volume', Source: volume, Target: path, VolumeOptions: options };
}

/**
 * Hardened as a container that runs commands, but for its user: root inside, without any capability, since the files must
 * belong to nobody a command can be. Tar refuses paths that leave the folder.
 */
export function fillerOptions(filler: FillerSpec): Docker.ContainerCreateOptions {
  const { path, prepare = [] } = filler.mount;
  const asRuns = containerOptions({
    imageId: filler.imageId,
    volumes: {},
    limits: FILLER_LIMITS,
    labels: filler.owner,
  });
  return {
    ...asRuns,
    name: filler.name,
    User: '0:0',
    Cmd: ['sh', '-c', FILL_SCRIPT, path, ...prepare],
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    HostConfig: { ...asRuns.HostConfig, Mounts: [fillerMount(filler.volume, path)] },
  };
}
