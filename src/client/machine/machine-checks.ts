import { constants, existsSync } from 'node:fs';
import { access, mkdir, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import { systemWords } from '../../domain/failure/system-words.js';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';
import { thisHost, type Host } from './host.js';

const GIB = 1024 ** 3;
const LEAST_MEMORY = 3 * GIB;
const LEAST_NODE = '20.19.0';
const START = 'start Docker (`sudo systemctl start docker`), join the group docker';
const INSTALL = 'install Docker (https://docs.docker.com/engine/install)';

/**
 * What any campaign in containers needs of this machine, for `doctor` and, before anything is started, for `quickstart`.
 * Changes nothing but the state folder, which it creates.
 */
export async function machineChecks(context: Context): Promise<Finding[]> {
  const engine = dockerEngine(context);
  const groups = [node(), memory(), disk(context), build(context), engine, baseImage(context, engine), ports(context)];
  return Promise.all(groups);
}

async function node(): Promise<Finding> {
  const isOld = process.versions.node.localeCompare(LEAST_NODE, 'en', { numeric: true }) < 0;
  const fix = isOld ? `install Node ${LEAST_NODE} or newer (https://nodejs.org)` : null;
  return { name: 'Node', state: isOld ? 'missing' : 'ok', detail: process.versions.node, fix };
}

async function memory(): Promise<Finding> {
  const isSmall = totalmem() < LEAST_MEMORY;
  const detail = `${(totalmem() / GIB).toFixed(1)} GiB`;
  const fix = isSmall ? 'give the machine at least 3 GiB (a sandbox run may use 2)' : null;
  return { name: 'memory', state: isSmall ? 'missing' : 'ok', detail, fix };
}

async function disk(context: Context): Promise<Finding> {
  const { stateDir, minimumFreeBytes } = context.environment();
  try {
    await mkdir(stateDir, { recursive: true });
    await access(stateDir, constants.W_OK);
    const { bavail, bsize } = await statfs(stateDir);
    const isFull = bavail * bsize < minimumFreeBytes;
    const detail = `${((bavail * bsize) / GIB).toFixed(1)} GiB free in ${stateDir}`;
    const fix = isFull ? `free at least ${minimumFreeBytes / GIB} GiB: durabench clean, docker system prune` : null;
    return { name: 'disk', state: isFull ? 'missing' : 'ok', detail, fix };
  } catch (error) {
    const fix = `make ${stateDir} writable, or set DURABENCH_HOME to another folder`;
    return { name: 'disk', state: 'missing', detail: `${stateDir}: ${systemWords(error)}`, fix };
  }
}

async function build({ packageRoot }: Context): Promise<Finding> {
  const files = ['workflow-bundle.js', 'digests.json'].map((name) => join(packageRoot, 'dist', name));
  const isBuilt = files.every((file) => existsSync(file));
  const detail = isBuilt ? 'dist/ is there' : 'dist/ is not complete';
  return { name: 'build', state: isBuilt ? 'ok' : 'missing', detail, fix: isBuilt ? null : 'npm run build' };
}

/** The engine that runs the sandboxes, by its own answer. */
export async function dockerEngine(context: Context, host: Pick<Host, 'has'> = thisHost(context)): Promise<Finding> {
  const { connectDocker } = await import('../../adapters/docker/engine/connect-docker.js');
  const name = 'Docker';
  try {
    const { Version, ApiVersion } = await connectDocker().version();
    return { name, state: 'ok', detail: `${Version} (API ${ApiVersion})`, fix: null };
  } catch (error) {
    const { dockerHost } = context.environment();
    const place = dockerHost ?? 'the local socket';
    const detail = `does not answer on ${place}: ${(error as Error).message.split('\n')[0] ?? ''}`;
    const isInstalled = ['dockerd', 'docker'].some((program) => host.has(program));
    const fix = `${isInstalled ? START : INSTALL}, or set DOCKER_HOST`;
    // An engine elsewhere is its owner's business.
    return { name, state: 'missing', detail, fix, ...(dockerHost === undefined && { installable: 'engine' as const }) };
  }
}

/**
 * The Debian under every sandbox image is pulled, or bootstrapped where no registry answers. Where this machine has no
 * engine yet it asks the registry itself, so that all that is missing is told at once.
 */
async function baseImage(context: Context, engine: Promise<Finding>): Promise<Finding> {
  const name = 'base image';
  const { variable, dockerHost } = context.environment();
  const folders = (variable('PATH') ?? '').split(delimiter).filter((folder) => folder !== '');
  const canBootstrap = folders.some((folder) => existsSync(join(folder, 'mmdebstrap')));
  const hasEngine = (await engine).state === 'ok';
  // What an engine elsewhere reaches nobody knows here.
  if (!hasEngine && dockerHost !== undefined)
    return { name, state: 'later', detail: 'is looked at once Docker answers', fix: 'durabench doctor' };
  const { openImages } = await import('./open-images.js');
  const images = await openImages(context);
  const { present, tag } = hasEngine ? await images.check('base') : { present: null, tag: '' };
  if (present !== null) return { name, state: 'ok', detail: tag, fix: null };
  if (canBootstrap) return { name, state: 'ok', detail: 'can be bootstrapped by mmdebstrap', fix: null };
  const why = await images.registryFailure('base', hasEngine ? 'engine' : 'machine');
  if (why === null) return { name, state: 'ok', detail: 'can be pulled: its registry answers', fix: null };
  const detail = `cannot be pulled or built: its registry does not answer (${why}), and mmdebstrap is not installed`;
  const fix = 'sudo apt-get install mmdebstrap, or let the Docker engine reach a registry';
  return { name, state: 'missing', detail, fix, installable: 'bootstrapper' };
}

/** Others are chosen where the usual ones are taken. */
async function ports(context: Context): Promise<Finding> {
  const [{ choosePort, isPortFree }, { stackStatus }] = await Promise.all([
    import('../../stack/servers/ports.js'),
    import('../../stack/stack-status.js'),
  ]);
  const { temporalPorts, stateDir, temporal } = context.environment();
  const name = 'ports';
  if (temporal !== undefined || stackStatus(stateDir).isUp)
    return { name, state: 'ok', detail: 'not needed', fix: null };
  const wanted = [temporalPorts.port, temporalPorts.uiPort];
  try {
    await choosePort({ preferred: wanted, seed: stateDir });
  } catch (error) {
    const fix = 'let this user listen on 127.0.0.1';
    return { name, state: 'missing', detail: (error as Error).message, fix };
  }
  const free = await Promise.all(wanted.map(isPortFree));
  const taken = wanted.filter((_, index) => !free[index]);
  const detail =
    taken.length === 0 ? `${wanted.join(' and ')} are free` : `${taken.join(' and ')} taken: others are used`;
  return { name, state: 'ok', detail, fix: null };
}
