import { statfs } from 'node:fs/promises';
import type Docker from 'dockerode';
import { diskFull } from '../../../domain/failure/disk-full.js';

/** Fails with `sandbox.disk-full` while a disk the sandbox writes to is nearly full: the engine's, where it is on this machine, and the state folder's. */
export function createSpaceCheck(options: {
  docker: Docker;
  stateFolder: string;
  minimumFreeBytes: number;
}): () => Promise<void> {
  let engineFolder: string | undefined;
  return async () => {
    engineFolder ??= ((await options.docker.info()) as { DockerRootDir: string }).DockerRootDir;
    for (const folder of [engineFolder, options.stateFolder]) {
      const free = await freeBytes(folder);
      if (free === null || free >= options.minimumFreeBytes) continue;
      throw diskFull({
        message: `${folder}: ${mebibytes(free)} free`,
        expected: `at least ${mebibytes(options.minimumFreeBytes)}`,
      });
    }
  };
}

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Null where the folder is not on this machine (a remote engine, Docker Desktop) or not there yet. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
