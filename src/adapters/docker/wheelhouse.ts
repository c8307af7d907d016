import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import tar from 'tar-stream';
import { ImageBuildError } from './image-build-error.js';
import { runProgram } from './run-program.js';
import { packTar } from './tar-archive.js';

const LOCK_NAME = 'requirements.lock.txt';

interface WheelhouseOptions {
  docker: Docker;
  /** Image whose own pip serves where the host has none. */
  baseImage: string;
  imageName: string;
  python: string;
  lock: string;
  cacheFolder: string;
  onProgress: (line: string) => void;
}

/** Folder with the wheels of a lock, every one checked against its hash by pip. Downloaded once per lock and machine type, into a folder that appears whole or not at all. */
export async function obtainWheels(options: WheelhouseOptions): Promise<string> {
  const machine = await engineMachine(options.docker);
  const digest = createHash('sha256').update(`${options.python} ${machine}\n${options.lock}`).digest('hex');
  const folder = join(options.cacheFolder, 'wheels', digest.slice(0, 24));
  if (await exists(folder)) return folder;
  const partial = `${folder}.${randomUUID()}`;
  await mkdir(partial, { recursive: true });
  try {
    await writeFile(join(partial, LOCK_NAME), options.lock);
    options.onProgress(`downloading the wheels of ${options.imageName}`);
    const host = await downloadOnHost(options, partial, machine);
    if (host !== undefined) await downloadInContainer(options, partial, host);
    await rename(partial, folder).catch(async (error: NodeJS.ErrnoException) => {
      // Another process was faster; its folder holds the same bytes.
      if (!(await exists(folder))) throw error;
    });
    return folder;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Returns what went wrong, or undefined. */
async function downloadOnHost(
  options: WheelhouseOptions,
  folder: string,
  machine: string,
): Promise<string | undefined> {
  const argv = [
    '-m',
    'pip',
    ...pipArguments(join(folder, LOCK_NAME), folder),
    ...platformArguments(options.python, machine),
  ];
  const result = await runProgram('python3', argv, options.onProgress);
  if (result.code === 0) return undefined;
  return result.code === null ? 'the host has no python3' : result.tail.slice(-600);
}

/** The same download by the pip of a throw-away virtual environment inside a container with a network. No third-party code runs in it: wheels only, checked by hash. */
async function downloadInContainer(options: WheelhouseOptions, folder: string, hostTrouble: string): Promise<void> {
  options.onProgress(`pip on the host did not do it (${hostTrouble.split('\n').at(-1) ?? ''}); using a container`);
  const script = [
    'python3 -m venv /tmp/pip',
    `/tmp/pip/bin/python -m pip ${pipArguments(`/tmp/${LOCK_NAME}`, '/tmp/wheels').join(' ')}`,
  ].join(' && ');
  const container = await options.docker.createContainer({
    Image: options.baseImage,
    User: '0:0',
    Cmd: ['sh', '-c', script],
  });
  try {
    await container.putArchive(await packTar({ [`tmp/${LOCK_NAME}`]: options.lock }), { path: '/' });
    await container.start();
    const { StatusCode: status } = (await container.wait()) as { StatusCode: number };
    if (status !== 0) {
      const log = (await container.logs({ stdout: true, stderr: true })).toString('utf8').slice(-600);
      throw new ImageBuildError({
        what: `image ${options.imageName}: its wheels cannot be downloaded; on the host: ${hostTrouble}; in a container: ${log}`,
        allowed: 'a Python package index that pip reaches from the host or from a Docker container',
        remedy: 'check "python3 -m pip download six" on the host, then run this command again',
      });
    }
    await unpack(await container.getArchive({ path: '/tmp/wheels' }), folder);
  } finally {
    await container.remove({ force: true });
  }
}

async function unpack(archive: NodeJS.ReadableStream, folder: string): Promise<void> {
  const extract = tar.extract();
  archive.pipe(extract);
  for await (const entry of extract) {
    const name = entry.header.name.split('/').at(-1) ?? '';
    if (entry.header.type !== 'file' || !name.endsWith('.whl')) {
      entry.resume();
      continue;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    await writeFile(join(folder, name), Buffer.concat(chunks));
  }
}

/** The wheels and their lock as one tar, below `wheels/`. */
export async function packWheels(folder: string): Promise<Buffer> {
  const files: Record<string, Buffer> = {};
  for (const name of await readdir(folder)) files[`wheels/${name}`] = await readFile(join(folder, name));
  return packTar(files);
}

function pipArguments(lockPath: string, folder: string): string[] {
  return [
    ...['download', '--disable-pip-version-check', '--progress-bar', 'off', '--quiet'],
    ...['--require-hashes', '--no-deps', '--only-binary=:all:'],
    ...['-r', lockPath, '-d', folder],
  ];
}

function platformArguments(python: string, machine: string): string[] {
  const glibc = ['2_36', '2_35', '2_34', '2_31', '2_28', '2_27', '2_26', '2_24', '2_17'];
  const platforms = [...glibc.map((version) => `manylinux_${version}_${machine}`), `manylinux2014_${machine}`];
  return [
    ...['--python-version', python, '--implementation', 'cp'],
    ...['--abi', `cp${python.replace('.', '')}`, '--abi', 'abi3', '--abi', 'none'],
    ...platforms.flatMap((platform) => ['--platform', platform]),
  ];
}

async function engineMachine(docker: Docker): Promise<string> {
  const { Arch: architecture } = (await docker.version()) as { Arch: string };
  return { amd64: 'x86_64', arm64: 'aarch64' }[architecture] ?? architecture;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
