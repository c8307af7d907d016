import { spawn, type ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { waitUntil } from '../fixtures/wait-until.js';

const run = promisify(execFile);
/** What a service manager waits before it starts a daemon again. */
const RESTART_MS = 1_000;

/** A Docker daemon of a test's own, which may be killed: it shares nothing with the machine's but the kernel. */
export interface OwnDockerDaemon {
  /** For DOCKER_HOST. */
  host: string;
  docker: Docker;
  pid(): number;
  /** Copies an image from the machine's engine. */
  copyImage(tag: string): Promise<void>;
  close(): Promise<void>;
}

/** Why {@link startDockerDaemon} cannot work here, said beside a skipped test; null where it can, and in CI, which skips nothing. */
export function whyNoOwnDaemon(): string | null {
  if (process.env['CI']) return null;
  const isOnPath = (program: string): boolean =>
    (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
  const missing = [
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...['dockerd', 'unshare'].filter((program) => !isOnPath(program)),
  ];
  return missing.length === 0 ? null : `a Docker daemon of the test’s own needs Linux and ${missing.join(' and ')}`;
}

/** Starts one without a network bridge, and starts it again whenever it dies, as a service manager does. Needs root. */
export async function startDockerDaemon(): Promise<OwnDockerDaemon> {
  // A short path: the sockets below it may have 107 characters at most.
  const folder = await mkdtemp(join(tmpdir(), 'dbd-'));
  const socketPath = join(folder, 'docker.sock');
  await mkdir(join(folder, 'root'));
  await writeFile(join(folder, 'daemon.json'), '{}');
  const docker = new Docker({ socketPath });
  let isClosing = false;
  let child = spawnDaemon(folder);
  const restartOnExit = (daemon: ChildProcess): void =>
    void daemon.once('exit', () => {
      if (!isClosing) void sleep(RESTART_MS).then(restart);
    });
  const restart = async (): Promise<void> => {
    if (isClosing) return;
    // Left by a killed daemon; a new one takes whoever has that number by now for a running daemon or containerd.
    for (const file of ['docker.pid', 'exec/containerd/containerd.pid']) await rm(join(folder, file), { force: true });
    child = spawnDaemon(folder);
    restartOnExit(child);
  };
  restartOnExit(child);
  const close = async (): Promise<void> => {
    for (const { Id: id } of await docker.listContainers({ all: true }).catch(() => []))
      await docker
        .getContainer(id)
        .remove({ force: true })
        .catch(() => undefined); // being removed already
    isClosing = true;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await Promise.race([gone, sleep(20_000).then(() => child.kill('SIGKILL'))]);
    // A daemon makes its root a mount, which outlives one that was killed.
    for (const mount of await mountsBelow(folder)) await run('umount', ['-l', mount]);
    await rm(folder, { recursive: true, force: true });
  };
  if (!(await waitUntil(() => answers(docker)))) {
    const log = await readFile(join(folder, 'log'), 'utf8');
    await close();
    throw new Error(`the test's own dockerd did not start:\n${log.slice(-2000)}`);
  }
  return {
    host: `unix://${socketPath}`,
    docker,
    pid: () => child.pid ?? 0,
    copyImage: async (tag) => {
      const image = await connectDocker().getImage(tag).get();
      const stream = await docker.loadImage(image);
      await new Promise<void>((resolve, reject) => {
        docker.modem.followProgress(stream, (error: Error | null) => (error ? reject(error) : resolve()));
      });
    },
    close,
  };
}

function spawnDaemon(folder: string): ChildProcess {
  const log = openSync(join(folder, 'log'), 'a');
  const place = ['--data-root', join(folder, 'root'), '--exec-root', join(folder, 'exec')];
  // Not the machine's settings, which may contradict these.
  const names = [
    '--config-file',
    join(folder, 'daemon.json'),
    '--pidfile',
    join(folder, 'docker.pid'),
    '--host',
    `unix://${join(folder, 'docker.sock')}`,
  ];
  // A network namespace of its own: a daemon without a bridge deletes docker0 where it finds it, and its rules for packets
  // would be the machine's as well.
  const network = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-masq=false'];
  const command = ['--net', 'dockerd', ...place, ...names, ...network];
  return spawn('unshare', command, { detached: true, stdio: ['ignore', log, log] });
}

async function answers(docker: Docker): Promise<boolean> {
  return docker.ping().then(
    () => true,
    () => false,
  );
}

async function mountsBelow(folder: string): Promise<string[]> {
  const lines = (await readFile('/proc/mounts', 'utf8')).split('\n');
  return lines.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${folder}/`));
}
