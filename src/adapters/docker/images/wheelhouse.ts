import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { downloadVariables, indexVariables } from '../../../domain/program-variables.js';
import { DownloadError } from '../pip/download-error.js';
import { pipDownload } from '../pip/pip-download.js';
import { platformArguments } from '../engine/platform-arguments.js';
import { keptFolder } from './download-folder.js';
import { packTar } from '../engine/tar-archive.js';
import { UserError } from '../../../domain/failure/user-error.js';

const LOCK_NAME = 'requirements.lock.txt';

interface WheelhouseOptions {
  docker: Docker;
  /** Image whose own pip serves where the host has none. */
  baseImage: string;
  imageName: string;
  python: string;
  lock: string;
  cacheFolder: string;
  /** A variable of the environment: where the index is, for pip here and in a container. */
  variable: (name: string) => string | undefined;
  onProgress: (line: string) => void;
}

/** Folder with the wheels of a lock, every one checked against its hash. Downloaded once per lock and machine type, into a folder that appears whole or not at all. */
export async function obtainWheels(options: WheelhouseOptions): Promise<string> {
  const machine = await engineMachine(options.docker);
  const digest = createHash('sha256').update(`${options.python} ${machine}\n${options.lock}`).digest('hex');
  const folder = join(options.cacheFolder, 'wheels', digest.slice(0, 24));
  return keptFolder(folder, options.cacheFolder, async (partial) => {
    options.onProgress(`downloading the wheels of ${options.imageName}`);
    const wheels = await download(options, folder, machine);
    const kept = join(partial, 'wheels');
    await mkdir(kept);
    await writeFile(join(kept, LOCK_NAME), options.lock);
    for (const [name, bytes] of wheels) await writeFile(join(kept, name), bytes);
    return kept;
  });
}

async function download(options: WheelhouseOptions, folder: string, machine: string): Promise<Map<string, Buffer>> {
  const { docker, baseImage, imageName, lock, python, onProgress } = options;
  return pipDownload({
    requirements: lock,
    kind: ['--only-binary=:all:'],
    hostOptions: platformArguments(python, machine),
    hostPython: 'python3',
    hostVariables: downloadVariables(options.variable),
    container: () => Promise.resolve({ docker, image: baseImage, variables: indexVariables(options.variable) }),
    onProgress,
  }).catch((error: unknown) => {
    if (!(error instanceof DownloadError)) throw error;
    throw new UserError(
      'environment',
      {
        message: `image ${imageName}: its wheels cannot be downloaded: ${error.message}`,
        expected: 'a Python package index that pip reaches from the host or from a Docker container',
        fix: `check "python3 -m pip download six" on the host, then run this command again; or put deploy/images/${imageName}/${LOCK_NAME} and the wheels it names into ${folder} by hand`,
      },
      error,
    );
  });
}

/** The wheels and their lock as one tar, below `wheels/`. */
export async function packWheels(folder: string): Promise<Buffer> {
  const files: Record<string, Buffer> = {};
  for (const name of await readdir(folder)) files[`wheels/${name}`] = await readFile(join(folder, name));
  return packTar(files);
}

/** Machine type of the engine, as `uname -m` says it. */
export async function engineMachine(docker: Docker): Promise<string> {
  const { Arch: architecture } = (await docker.version()) as { Arch: string };
  return { amd64: 'x86_64', arm64: 'aarch64' }[architecture] ?? architecture;
}
